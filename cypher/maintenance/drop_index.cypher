// Drops an index.
//
// parameters:
//   $name STRING: the index
DROP INDEX $name IF EXISTS
