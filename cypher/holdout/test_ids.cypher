// A page of the ids of the test papers, in order.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&Test)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
