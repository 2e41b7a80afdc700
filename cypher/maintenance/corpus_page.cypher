// Returns a page of the ids of a corpus's papers: those of a source, and those with a prefix.
//
// STARTS WITH alone would use the index, and would read and sort every page completely.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first page
//   $limit INTEGER: papers per page
//   $corpus STRING: the source, or the prefix without its colon
// returns:
//   ids LIST<STRING>: ids of papers, including stubs with the prefix, in order
MATCH (paper:Paper)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
  AND (paper.source = $corpus OR left(paper.id, size($corpus) + 1) = $corpus + ':')
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
