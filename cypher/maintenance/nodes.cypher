// Deletes all nodes of specter-graph except those of the schema, in several transactions.
//
// parameters:
//   $rows INTEGER: nodes per transaction
{{include maintenance/own_nodes}}
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $rows ROWS
