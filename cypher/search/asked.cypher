// The papers of a question: their titles and vectors.
//
// parameters:
//   $ids LIST<STRING>: papers that are there
//   $space STRING: the embedding space; null for none
// returns:
//   id STRING: a paper
//   title STRING: its title, null for a stub
//   vector LIST<FLOAT>: its vector, null where there is none
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title, paper[$space] AS vector
