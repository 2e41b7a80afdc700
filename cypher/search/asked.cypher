// The papers of a question: their texts, what they cite, and their vectors.
//
// parameters:
//   $ids LIST<STRING>: papers that are there
//   $space STRING: the embedding space; null for none
// returns:
//   id STRING: a paper
//   title STRING: its title, null for a stub
//   abstract STRING: its abstract, may be null
//   year INTEGER: its year
//   references LIST<STRING>: ids of the papers that it cites
//   vector LIST<FLOAT>: its vector, null where there is none
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title, paper.abstract AS abstract, paper.year AS year,
       COLLECT { MATCH (paper)-[:CITES]->(cited:Paper) RETURN cited.id } AS references,
       paper[$space] AS vector
