// Returns a page of training papers ordered by id, with the training papers that they cite.
//
// parameters:
//   $after STRING: the last paper of the previous page, '' for the first page
//   $limit INTEGER: papers per page
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: the paper
//   cites LIST<STRING>: ids, unordered
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after AND paper.sample_key >= $held_out
WITH paper
ORDER BY paper.id
LIMIT $limit
RETURN paper.id AS id,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub) WHERE cited.sample_key >= $held_out
         RETURN cited.id
       } AS cites
ORDER BY id
