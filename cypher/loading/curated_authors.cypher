// Of some ids of authors those that a curated list names.
//
// parameters:
//   $ids LIST<STRING>: ids of authors
// returns:
//   id STRING: one of them
//   author STRING: the id that is kept; it may be the same
UNWIND $ids AS id
MATCH (m:MergedAuthor {id: id})
RETURN m.id AS id, m.author AS author
