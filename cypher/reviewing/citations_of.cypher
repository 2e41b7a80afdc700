// Returns the papers that given papers cite.
//
// parameters:
//   $papers LIST<STRING>: ids
// returns:
//   paper STRING: a citing paper
//   cited LIST<STRING>: ids of the papers that it cites
UNWIND $papers AS id
MATCH (p:Paper {id: id})
RETURN p.id AS paper, COLLECT { MATCH (p)-[:CITES]->(q:Paper) RETURN q.id } AS cited
