// A paper that several sources describe is derived from SourceRecords.
//
// They replace (:Merged {told, waiting, items})-[:INTO]->(:Paper), the ids in `named` on relationships
// and the JSON in `tellings`. A citation that was given under several ids had the details of each as
// JSON, which Cypher cannot read: each of them gets the union. Where a merge was interrupted, the next
// one combines the papers anew.
CREATE CONSTRAINT source_record_id IF NOT EXISTS
  FOR (s:SourceRecord) REQUIRE s.id IS UNIQUE;
MATCH (m:Merged)-[i:INTO]->(p:Paper)
CALL (m, i, p) {
  CREATE (m)-[:DESCRIBES]->(p)
  SET m:SourceRecord
  SET m.json = replace(m.told, '"telling":{', '"details":{'),
    m.pending_record = substring(m.waiting, 9, size(m.waiting) - 10), m.pending_items = m.items
  REMOVE m.told, m.waiting, m.items
  DELETE i
  FOREACH (_ IN CASE WHEN m:Waiting|Unsettled OR p:Unsettled|Unwritten THEN [1] ELSE [] END |
    SET m:Pending
  )
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (:Merged)-[:DESCRIBES]->(p:Paper)
WITH DISTINCT p
CALL (p) {
  CALL (p) {
    MATCH (p)<-[r:CITES|VIEWED|READ]-(x)
    CALL (p, r, x) {
      UNWIND coalesce(r.named, [p.id]) AS id
      MATCH (s:SourceRecord {id: id})
      CREATE (x)-[n:NAMES]->(s)
      SET n = properties(r), n.named = null, n.tellings = null,
        n.kind = nullIf(type(r), 'CITES')
    }
    SET r.named = null, r.tellings = null, r.apart = null
  }
  CALL (p) {
    MATCH (p)<-[:DESCRIBES]-(s)<-[r:CITES|VIEWED|READ]-(x)
    CREATE (x)-[n:NAMES]->(s)
    SET n = properties(r), n.named = null, n.tellings = null, n.kind = nullIf(type(r), 'CITES')
    DELETE r
  }
  MATCH (p)<-[:DESCRIBES]-(s)
  REMOVE s:Merged
} IN TRANSACTIONS OF 200 ROWS;
MATCH (n:Merged|Waiting|Unsettled|Unwritten)
CALL (n) {
  REMOVE n:Merged:Waiting:Unsettled:Unwritten
  WITH n
  MATCH (n)<-[r:CITES|VIEWED|READ]-()
  WHERE r.named IS NOT NULL
  REMOVE r.named, r.tellings
} IN TRANSACTIONS OF 1000 ROWS;
DROP CONSTRAINT merged_id IF EXISTS;
