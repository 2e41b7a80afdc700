// Returns the ids of authors that are in a curated list.
//
// parameters:
//   $ids LIST<STRING>: ids of authors
// returns:
//   id STRING: an id in a list
//   author STRING: the id that is kept; it may be the same
UNWIND $ids AS id
MATCH (m:MergedAuthor {id: id})
RETURN m.id AS id, m.author AS author
