// Training papers that cite at least so many others, drawn by their ids alone, and whom they cite.
//
// parameters:
//   $space STRING: an embedding space in which they have vectors
//   $references INTEGER: the least number of references to training papers
//   $most INTEGER: how many papers, at most
// returns:
//   id STRING: a paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
//   vector LIST<FLOAT>: its vector
//   references LIST<STRING>: ids of the training papers that it cites
MATCH (paper:Paper&!Stub&!Test&!Validation)
WHERE paper[$space] IS NOT NULL
  AND COUNT { (paper)-[:CITES]->(:!Stub&!Test&!Validation) } >= $references
WITH paper
ORDER BY {{sample order of paper}}
LIMIT $most
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract, paper[$space] AS vector,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub&!Test&!Validation)
         RETURN cited.id
       } AS references
