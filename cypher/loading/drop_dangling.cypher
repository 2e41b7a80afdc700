// Delete the stubs, with all that names them. Manages its own transactions.
//
// parameters:
//   $rows INTEGER: stubs in a transaction
MATCH (s:Paper&Stub)
CALL (s) {
  DETACH DELETE s
} IN TRANSACTIONS OF $rows ROWS
