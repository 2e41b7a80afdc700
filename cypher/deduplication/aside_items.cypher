// Lay what is told apart from the records of merged papers beside them: the next merge writes it.
//
// parameters:
//   $papers LIST<MAP>: id, items LIST<STRING> (JSON); in the order of the ids
UNWIND $papers AS row
MATCH (m:Merged {id: row.id})
SET m:Waiting, m.items = coalesce(m.items, []) + row.items
