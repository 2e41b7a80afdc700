// Returns the ids of existing submissions.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: the id of an existing submission
UNWIND $ids AS id
MATCH (s:Submission {id: id})
RETURN s.id AS id
