// Returns the vectors of papers or submissions; those without one are omitted.
//
// {{label}} is Paper, ArchivePaper or Submission.
//
// parameters:
//   $space STRING: the name of the space
//   $ids LIST<STRING>: the papers or submissions
// returns:
//   ids LIST<STRING>: those that have a vector, in the order of $ids
//   vectors LIST<LIST<FLOAT>>: their vectors
UNWIND range(0, size($ids) - 1) AS place
MATCH (text:{{label}} {id: $ids[place]})
WHERE text[$space] IS NOT NULL
WITH text ORDER BY place
RETURN collect(text.id) AS ids, collect(text[$space]) AS vectors
