// Note again which loads wrote the records of papers.
//
// parameters:
//   $papers LIST<MAP>: id, load
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
SET p.load = row.load
