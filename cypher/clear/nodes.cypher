// Delete every node but the record of the schema, in many small transactions.
//
// parameters:
//   $rows INTEGER: how many in a transaction
MATCH (n:!Schema)
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $rows ROWS
