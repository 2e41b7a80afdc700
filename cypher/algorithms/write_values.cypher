// Sets properties on papers.
//
// parameters:
//   $rows LIST<MAP>: id, properties
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper += row.properties
