// Mark all SourceRecords as pending, so that all papers are combined anew. Manages its own
// transactions.
//
// parameters:
//   $rows INTEGER: nodes in a transaction
MATCH (s:SourceRecord)
CALL (s) {
  SET s:Pending
} IN TRANSACTIONS OF $rows ROWS
