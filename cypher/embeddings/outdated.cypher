// Returns papers or submissions whose vector is missing or was made from another text.
//
// {{label}} is Paper, ArchivePaper or Submission.
//
// parameters:
//   $key STRING: the property that holds the hash
//   $pairs LIST<MAP>: id and hash
// returns:
//   id STRING: one of them
UNWIND $pairs AS pair
MATCH (text:{{label}} {id: pair.id})
WHERE coalesce(text[$key], '') <> pair.hash
RETURN text.id AS id
