// A page of the ids of a corpus's papers: those of a source, and those with a prefix.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
//   $corpus STRING: the source, or the prefix without its colon
// returns:
//   ids LIST<STRING>: ids of papers, stubs with the prefix among them, in order
MATCH (paper:Paper)
USING INDEX paper:Paper(id)
WHERE paper.id > $after AND (paper.source = $corpus OR paper.id STARTS WITH $corpus + ':')
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
