// Streams the vectors of a space that have its dimension, in any order.
//
// parameters:
//   $space STRING: the name of the space
//   $dimension INTEGER: its dimension
// returns:
//   id STRING: a paper
//   vector LIST<FLOAT>: its vector
MATCH (paper:Paper)
WHERE paper[$space] IS NOT NULL AND size(paper[$space]) = $dimension
RETURN paper.id AS id, paper[$space] AS vector
