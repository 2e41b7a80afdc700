// Mark SourceRecords whose id a load beside a merge has given to another paper. Manages its own
// transactions.
//
// parameters:
//   $rows INTEGER: nodes in a transaction
MATCH (s:SourceRecord)-[:DESCRIBES]->(p:Paper)
WHERE s.id <> p.id AND EXISTS { (:Paper {id: s.id}) }
CALL (s) {
  SET s:Pending
} IN TRANSACTIONS OF $rows ROWS
