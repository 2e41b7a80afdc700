// Have merged papers merged anew which had a part without a record that nothing names any more.
//
// parameters:
//   $ids LIST<STRING>: ids that records named before
UNWIND $ids AS id
MATCH (m:Merged {id: id})-[:INTO]->(p:Paper)
WHERE m.record IS NULL AND NOT EXISTS {
  (p)<-[r:CITES|VIEWED|READ]-()
  WHERE id IN r.named
}
SET m:Waiting
