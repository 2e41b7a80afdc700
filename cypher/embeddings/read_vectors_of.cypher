// Returns the vectors of papers or submissions; those without one are omitted.
//
// {{label}} is Paper, ArchivePaper or Submission.
//
// parameters:
//   $space STRING: the name of the space
//   $ids LIST<STRING>: the papers or submissions
// returns:
//   id STRING: one of them
//   vector LIST<FLOAT>: its vector
UNWIND range(0, size($ids) - 1) AS place
MATCH (text:{{label}} {id: $ids[place]})
WHERE text[$space] IS NOT NULL
RETURN text.id AS id, text[$space] AS vector
ORDER BY place
