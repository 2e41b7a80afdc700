// Returns a page of the ids of the training papers (with a record, not held out), in order.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&!Stub)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after AND paper.sample_key >= $held_out
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
