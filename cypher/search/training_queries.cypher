// Training papers that cite at least so many others, drawn by their ids alone, and whom they cite.
//
// parameters:
//   $held_out INTEGER: papers with a smaller draw are held out
//   $space STRING: an embedding space in which they have vectors
//   $references INTEGER: the least number of references to training papers
//   $most INTEGER: how many papers, at most
// returns:
//   id STRING: a paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
//   vector LIST<FLOAT>: its vector
//   references LIST<STRING>: ids of the training papers that it cites
MATCH (paper:Paper&!Stub)
WHERE paper.draw >= $held_out AND paper[$space] IS NOT NULL
  AND COUNT { (paper)-[:CITES]->(cited:!Stub) WHERE cited.draw >= $held_out } >= $references
WITH paper
ORDER BY {{sample order of paper}}
LIMIT $most
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract, paper[$space] AS vector,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub) WHERE cited.draw >= $held_out
         RETURN cited.id
       } AS references
