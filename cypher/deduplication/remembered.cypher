// What is remembered of merged papers, by the ids under which it was told.
//
// parameters:
//   $ids LIST<STRING>: ids under which papers were told
// returns:
//   id STRING: the id
//   record INTEGER: the rank and digest of its record; null if it has none
//   load INTEGER: the load that wrote the record
//   told STRING: what the sources tell under this id, as JSON
//   waiting STRING: a newer record, as JSON; may be null
//   items LIST<STRING>: what waits to be written, as JSON; may be null
UNWIND $ids AS id
MATCH (m:Merged {id: id})
RETURN m.id AS id, m.record AS record, m.load AS load, m.told AS told, m.waiting AS waiting,
  m.items AS items
