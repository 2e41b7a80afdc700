// Reads the vectors of some papers, those of archives too, drawn by their ids alone.
//
// parameters:
//   $space STRING: the name of the space
//   $most INTEGER: how many, at most
// returns:
//   vector LIST<FLOAT>: the vector of a paper
MATCH (paper:Paper|ArchivePaper)
WHERE paper.draw IS NOT NULL AND paper[$space] IS NOT NULL
RETURN paper[$space] AS vector
ORDER BY {{sample order of paper}}
LIMIT $most
