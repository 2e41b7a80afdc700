// Deletes a reader and its relationships.
//
// parameters:
//   $id STRING: the reader
MATCH (r:Reader {id: $id})
DETACH DELETE r
