// Give papers that are about to be combined a SourceRecord, with their incoming citations and readings.
//
// parameters:
//   $records LIST<MAP>: id, draw, smallest_draw (of all members), record, load, json
UNWIND $records AS row
MATCH (p:Paper {id: row.id})
CREATE (s:SourceRecord {id: row.id})-[:DESCRIBES]->(p)
SET s.draw = row.draw, s.record = row.record, s.load = row.load, s.json = row.json
SET p.record = 0, p.draw = row.smallest_draw
REMOVE p.load, p.abstract_apart, p.abstract_record, p.references_record
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
  MATCH (p)<-[r:VIEWED|READ]-(reader:Reader)
  CREATE (reader)-[n:NAMES]->(s)
  SET n = properties(r), n.kind = type(r)
  DELETE r
}
