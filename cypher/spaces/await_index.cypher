// Waits until an index is online.
//
// parameters:
//   $name STRING: the index
//   $seconds INTEGER: how long to wait at most
CALL db.awaitIndex($name, $seconds)
