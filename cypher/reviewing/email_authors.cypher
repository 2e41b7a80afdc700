// Returns the authors of submissions that are known by an e-mail address alone.
//
// parameters:
//   $submissions LIST<STRING>: ids
// returns:
//   submission STRING: the key of the submission
//   email STRING: the address, in lower case
UNWIND $submissions AS id
MATCH (s:Submission {id: id})<-[:SUBMITTED]-(a:Author)
WHERE a.id STARTS WITH 'email:'
RETURN s.key AS submission, substring(a.id, 6) AS email
