// Returns the papers that given papers cite, and the papers that cite given papers.
//
// parameters:
//   $ids LIST<STRING>: the papers
// returns:
//   id STRING: a paper
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:CITES]-(other:Paper)
RETURN DISTINCT other.id AS id
