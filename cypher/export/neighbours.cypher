// The papers that some papers cite or are cited by.
//
// parameters:
//   $ids LIST<STRING>: the papers
// returns:
//   id STRING: a paper
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:CITES]-(other:Paper)
RETURN DISTINCT other.id AS id
