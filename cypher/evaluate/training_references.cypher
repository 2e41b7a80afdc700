// A page of training papers in order, each with the training papers that it cites.
//
// parameters:
//   $after STRING: the last paper of the page before, '' for the first
//   $limit INTEGER: papers a page
// returns:
//   id STRING: the paper
//   cites LIST<STRING>: ids, in no order
MATCH (paper:Paper&!Stub&!Test&!Validation)
WHERE paper.id > $after
WITH paper
ORDER BY paper.id
LIMIT $limit
RETURN paper.id AS id,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub&!Test&!Validation)
         RETURN cited.id
       } AS cites
ORDER BY id
