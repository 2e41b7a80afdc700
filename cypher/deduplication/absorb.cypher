// Converts papers to SourceRecords of other papers, with their incoming citations and readings.
//
// parameters:
//   $records LIST<MAP>: id, paper (the paper that it describes), sample_key, record_version, load,
//     json; in the order of the groups
UNWIND $records AS row
MATCH (s:Paper {id: row.id})
CALL (s) {
  MATCH (s)-[r:CITES|NAMES|PUBLISHED_IN|ABOUT|IN_TOPIC|SIMILAR]->()
  DELETE r
}
CALL (s) {
  MATCH (s)<-[r:WROTE|OF|SIMILAR]-()
  DELETE r
}
CALL (s) {
  MATCH (s)<-[r:CITES]-(citing:Paper)
  CREATE (citing)-[n:NAMES]->(s)
  SET n = properties(r)
  DELETE r
}
CALL (s) {
  MATCH (s)<-[r:VIEWED|SAVED]-(reader:Reader)
  CREATE (reader)-[n:NAMES]->(s)
  SET n = properties(r), n.kind = type(r)
  DELETE r
}
SET s = {
  id: row.id, sample_key: row.sample_key, record_version: row.record_version, load: row.load,
  loaded: s.loaded, json: row.json
}
SET s:SourceRecord
REMOVE s:Paper:Stub
WITH s, row
MATCH (p:Paper {id: row.paper})
CREATE (s)-[:DESCRIBES]->(p)
SET p.loaded = CASE
  WHEN row.record_version IS NULL THEN p.loaded
  WHEN s.loaded IS NULL OR s.loaded < p.loaded THEN s.loaded
  ELSE p.loaded
END
