// Reads all vectors of a space, in the order of the papers' ids.
//
// parameters:
//   $space STRING: the name of the space
// returns:
//   id STRING: the paper
//   vector LIST<FLOAT>: its vector
MATCH (paper:Paper)
WHERE paper.id IS NOT NULL AND paper[$space] IS NOT NULL
RETURN paper.id AS id, paper[$space] AS vector
ORDER BY id
