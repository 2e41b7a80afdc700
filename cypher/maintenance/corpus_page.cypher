// A page of the ids of a corpus's papers: those of a source, and those with a prefix.
//
// STARTS WITH would be sought in the index by itself, and every page read and sorted whole.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
//   $corpus STRING: the source, or the prefix without its colon
// returns:
//   ids LIST<STRING>: ids of papers, stubs with the prefix among them, in order
MATCH (paper:Paper)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
  AND (paper.source = $corpus OR left(paper.id, size($corpus) + 1) = $corpus + ':')
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
