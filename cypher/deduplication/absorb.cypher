// Make papers part of another: what is told of them is remembered and leaves the graph.
//
// Who cites and who reads them stays with them until `move_citations` and `move_readings`.
//
// parameters:
//   $papers LIST<MAP>: id, into, draw, record, load, told; in the order of the ids
UNWIND $papers AS row
MATCH (m:Paper {id: row.id})
CALL (m) {
  MATCH (m)-[r:CITES|PUBLISHED_IN|ABOUT|IN_TOPIC|SIMILAR]->()
  DELETE r
}
CALL (m) {
  MATCH (m)<-[r:WROTE|OF|SIMILAR]-()
  DELETE r
}
SET m = {id: row.id, draw: row.draw, record: row.record, load: row.load, told: row.told}
SET m:Merged:Unsettled
REMOVE m:Paper:Stub
WITH m, row
MATCH (p:Paper {id: row.into})
CREATE (m)-[:INTO]->(p)
