// A page of training papers in order, each with the training papers that it cites.
//
// parameters:
//   $after STRING: the last paper of the page before, '' for the first
//   $limit INTEGER: papers a page
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   id STRING: the paper
//   cites LIST<STRING>: ids, in no order
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after AND paper.draw >= $held_out
WITH paper
ORDER BY paper.id
LIMIT $limit
RETURN paper.id AS id,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub) WHERE cited.draw >= $held_out
         RETURN cited.id
       } AS cites
ORDER BY id
