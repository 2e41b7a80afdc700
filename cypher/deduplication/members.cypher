// What is remembered of merged papers; locks it.
//
// parameters:
//   $papers LIST<STRING>: ids of merged papers
// returns:
//   paper STRING: the merged paper
//   id STRING: an id under which it was told
//   record INTEGER: the rank and digest of its record; null if it has none
//   load INTEGER: the load that wrote the record
//   told STRING: what the sources tell under this id, as JSON
//   waiting STRING: a newer record, as JSON; may be null
//   items LIST<STRING>: what else waits to be written, as JSON; may be null
UNWIND $papers AS paper
MATCH (p:Paper {id: paper})<-[:INTO]-(m:Merged)
SET m.draw = m.draw
RETURN p.id AS paper, m.id AS id, m.record AS record, m.load AS load, m.told AS told,
  m.waiting AS waiting, m.items AS items
