// Returns the titles of submissions.
//
// parameters:
//   $submissions LIST<STRING>: ids
// returns:
//   submission STRING: the key of the submission
//   title STRING: its title
UNWIND $submissions AS id
MATCH (s:Submission {id: id})
RETURN s.key AS submission, s.title AS title
