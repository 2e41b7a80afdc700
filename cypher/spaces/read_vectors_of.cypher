// Reads the vectors of some papers; those without one are left out.
//
// parameters:
//   $space STRING: the name of the space
//   $ids LIST<STRING>: the papers
// returns:
//   id STRING: the paper
//   vector LIST<FLOAT>: its vector
UNWIND range(0, size($ids) - 1) AS place
MATCH (paper:Paper {id: $ids[place]})
WHERE paper[$space] IS NOT NULL
RETURN paper.id AS id, paper[$space] AS vector
ORDER BY place
