// Have merged anew what a load has made anew beside a merge at the same time.
//
// Manages its own transactions.
//
// parameters:
//   $rows INTEGER: nodes in a transaction
MATCH (m:Merged)-[:INTO]->(p:Paper)
WHERE m.id <> p.id AND EXISTS { (:Paper {id: m.id}) }
CALL (m) {
  SET m:Waiting
} IN TRANSACTIONS OF $rows ROWS
