// The venue `v`, and each of some submissions `s`.
//
// A fragment with which the statements of conflicts of interest begin.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
MATCH (v:ReviewVenue {name: $venue})
UNWIND $submissions AS id
MATCH (s:Submission {id: id})
USING INDEX SEEK s:Submission(id)
WITH DISTINCT v, s
