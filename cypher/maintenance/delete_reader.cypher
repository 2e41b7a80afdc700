// Delete a reader, with all that is still connected.
//
// parameters:
//   $id STRING: the reader
MATCH (r:Reader {id: $id})
DETACH DELETE r
