// Returns a page of the ids of all papers, including stubs, in order.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
