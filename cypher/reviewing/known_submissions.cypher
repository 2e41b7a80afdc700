// Of some ids those of submissions.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: one of them
UNWIND $ids AS id
MATCH (s:Submission {id: id})
RETURN s.id AS id
