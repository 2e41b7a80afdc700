// Deletes all stubs and their relationships, in several transactions.
//
// parameters:
//   $rows INTEGER: stubs per transaction
MATCH (s:Paper&Stub)
CALL (s) {
  DETACH DELETE s
} IN TRANSACTIONS OF $rows ROWS
