// Delete every relationship, in many small transactions.
//
// parameters:
//   $rows INTEGER: how many in a transaction
MATCH ()-[r]->()
CALL (r) {
  DELETE r
} IN TRANSACTIONS OF $rows ROWS
