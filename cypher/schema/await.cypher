// Wait until indexes are online.
//
// parameters:
//   $names LIST<STRING>: the indexes
//   $seconds INTEGER: give up on one after so long
UNWIND $names AS name
CALL db.awaitIndex(name, $seconds)
