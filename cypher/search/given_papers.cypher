// Returns the titles and vectors of the papers of a request.
//
// parameters:
//   $ids LIST<STRING>: existing papers
//   $space STRING: the embedding space; null for none
// returns:
//   id STRING: a paper
//   title STRING: its title, null for a stub
//   vector LIST<FLOAT>: its vector, null if it has none
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title, paper[$space] AS vector
