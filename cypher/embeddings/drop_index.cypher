// Drops a vector index if it exists.
//
// parameters:
//   $name STRING: the index
DROP INDEX $name IF EXISTS
