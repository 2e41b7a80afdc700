// The ids that submissions have, of a list of ids.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: one of them
UNWIND $ids AS id
MATCH (s:Submission {id: id})
RETURN s.id AS id
