// Returns a sample of papers with a vector of the space's dimension, which depends on their ids.
//
// parameters:
//   $space STRING: the name of the space
//   $dimension INTEGER: its dimension
//   $limit INTEGER: maximum number of papers
// returns:
//   vector LIST<FLOAT>: the vector of a paper
MATCH (paper:Paper)
WHERE paper[$space] IS NOT NULL AND size(paper[$space]) = $dimension
WITH paper
ORDER BY {{sample order of paper}}
LIMIT $limit
RETURN paper[$space] AS vector
