// Note that authors are known, not only their names.
//
// parameters:
//   $ids LIST<STRING>: authors, in order; those that are not there are passed over
UNWIND $ids AS id
MATCH (a:Author {id: id})
SET a.identified = true
