// Have all merged papers merged anew. Manages its own transactions.
//
// parameters:
//   $rows INTEGER: nodes in a transaction
MATCH (m:Merged)
CALL (m) {
  SET m:Waiting
} IN TRANSACTIONS OF $rows ROWS
