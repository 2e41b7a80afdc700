// Marks all SourceRecords as pending, so that all papers are combined again; several transactions.
//
// parameters:
//   $rows INTEGER: nodes per transaction
MATCH (s:SourceRecord)
CALL (s) {
  SET s:Pending
} IN TRANSACTIONS OF $rows ROWS
