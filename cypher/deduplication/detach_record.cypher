// Creates the SourceRecords of papers to be combined, with their incoming citations and readings.
//
// parameters:
//   $records LIST<MAP>: id, sample_key, smallest_key (of all members), record_version, load, json
UNWIND $records AS row
MATCH (p:Paper {id: row.id})
CREATE (s:SourceRecord {id: row.id})-[:DESCRIBES]->(p)
SET s.sample_key = row.sample_key, s.record_version = row.record_version, s.load = row.load,
  s.json = row.json
SET p.record_version = 0, p.sample_key = row.smallest_key
REMOVE p.load, p.abstract_supplementary, p.abstract_version, p.references_version
WITH p, s
CALL (p) {
  MATCH (p)-[r:CITES|NAMES|ABOUT]->()
  DELETE r
}
CALL (p, s) {
  MATCH (p)<-[r:CITES]-(citing:Paper)
  CREATE (citing)-[n:NAMES]->(s)
  SET n = properties(r)
  DELETE r
}
CALL (p, s) {
  MATCH (p)<-[r:VIEWED|SAVED]-(reader:Reader)
  CREATE (reader)-[n:NAMES]->(s)
  SET n = properties(r), n.kind = type(r)
  DELETE r
}
