// Deletes all stubs that are in no reading list, with their relationships, in several transactions.
//
// parameters:
//   $rows INTEGER: stubs per transaction
MATCH (s:Paper&Stub)
WHERE NOT (s)<-[:LISTS]-()
CALL (s) {
  DETACH DELETE s
} IN TRANSACTIONS OF $rows ROWS
