// Returns the given ids that belong to readers.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: a reader
UNWIND $ids AS id
MATCH (r:Reader {id: id})
RETURN r.id AS id
