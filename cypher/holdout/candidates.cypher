// A page of the papers whose draw lies in a range and that are fit to be held out, in id order.
//
// Fit is a paper with a record and at least $references references that have records themselves.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
//   $from INTEGER: the least draw
//   $below INTEGER: the draws stay below this
//   $references INTEGER: the least number of references with a record
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&!Stub)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
  AND $from <= paper.draw < $below
  AND COUNT { (paper)-[:CITES]->(:Paper&!Stub) } >= $references
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
