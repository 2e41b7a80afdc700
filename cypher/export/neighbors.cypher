// Returns the papers that the given papers cite, and those that cite them.
//
// parameters:
//   $ids LIST<STRING>: the papers
// returns:
//   id STRING: a paper
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:CITES]-(other:Paper)
RETURN DISTINCT other.id AS id
