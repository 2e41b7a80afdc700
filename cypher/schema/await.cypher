// Wait until every index is online.
//
// parameters:
//   $seconds INTEGER: give up after so long
CALL db.awaitIndexes($seconds)
