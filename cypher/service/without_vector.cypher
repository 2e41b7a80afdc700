// Returns the papers that have no vector in a space; papers that do not exist have none.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $space STRING: an embedding space
// returns:
//   id STRING: a paper without a vector
UNWIND $ids AS id
OPTIONAL MATCH (paper:Paper {id: id})
WITH id, paper WHERE paper IS NULL OR paper[$space] IS NULL
RETURN id
