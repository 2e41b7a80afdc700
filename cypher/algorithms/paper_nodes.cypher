// Returns a page of the papers, including stubs, with the node numbers that GDS uses.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
// returns:
//   ids LIST<STRING>: ids of papers, in order
//   nodes LIST<INTEGER>: their node numbers
MATCH (paper:Paper)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
WITH paper, paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids, collect(id(paper)) AS nodes
