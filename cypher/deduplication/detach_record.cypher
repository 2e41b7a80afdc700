// Creates the SourceRecords of papers to be combined, with their incoming citations and readings.
//
// The papers get the properties of the combined records. Their incoming citations and their readings
// remain; derive_citations and derive_readings add those of the other SourceRecords. Outgoing
// relationships remain as far as the combined records have them.
//
// parameters:
//   $records LIST<MAP>: id, sample_key, record_version, load, json; of the combined record: rank,
//     smallest_key (of all members), properties, uncited LIST<STRING> (ids that it does not cite, or
//     otherwise), authors BOOLEAN and venue BOOLEAN (it has others)
UNWIND $records AS row
MATCH (p:Paper {id: row.id})
CREATE (s:SourceRecord {id: row.id})-[:DESCRIBES]->(p)
SET s.sample_key = row.sample_key, s.record_version = row.record_version, s.load = row.load,
  s.json = row.json
SET p += row.properties, p.record_version = row.rank, p.sample_key = row.smallest_key, p.load = 0
REMOVE p:Stub, p.abstract_supplementary, p.abstract_version, p.references_version
WITH p, s, row
CALL (p, row) {
  WITH * WHERE row.uncited <> []
  MATCH (p)-[r:CITES|NAMES]->(q)
  WHERE q.id IN row.uncited
  DELETE r
}
CALL (p, row) {
  MATCH (p)<-[r:WROTE]-()
  WHERE row.authors
  DELETE r
}
CALL (p, row) {
  MATCH (p)-[r:PUBLISHED_IN]->()
  WHERE row.venue
  DELETE r
}
CALL (p) {
  MATCH (p)-[r:ABOUT]->()
  REMOVE r.supplementary
}
CALL (p, s) {
  MATCH (p)<-[r:CITES]-(citing:Paper)
  CREATE (citing)-[n:NAMES]->(s)
  SET n = properties(r)
  REMOVE r.supplement_rank
}
CALL (p, s) {
  MATCH (p)<-[r:VIEWED|SAVED]-(reader:Reader)
  CREATE (reader)-[n:NAMES]->(s)
  SET n = properties(r), n.kind = type(r)
  DELETE r
}
