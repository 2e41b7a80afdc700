// Marks authors as identified.
//
// parameters:
//   $ids LIST<STRING>: authors, in order; unknown ids are ignored
UNWIND $ids AS id
MATCH (a:Author {id: id})
SET a.identified = true
