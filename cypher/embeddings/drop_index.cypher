// Drops a vector index, if it is there.
//
// parameters:
//   $name STRING: the index
DROP INDEX $name IF EXISTS
