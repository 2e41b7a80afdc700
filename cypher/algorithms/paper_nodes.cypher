// A page of the papers, stubs among them, with their node numbers, by which GDS names them.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
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
