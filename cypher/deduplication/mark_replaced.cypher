// Marks SourceRecords whose id a concurrent load gave to another paper, in several transactions.
//
// parameters:
//   $rows INTEGER: nodes per transaction
MATCH (s:SourceRecord)-[:DESCRIBES]->(p:Paper)
WHERE s.id <> p.id AND EXISTS { (:Paper {id: s.id}) }
CALL (s) {
  SET s:Pending
} IN TRANSACTIONS OF $rows ROWS
