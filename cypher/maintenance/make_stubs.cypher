// Converts papers to stubs: their data are deleted, and incoming citations and readings remain.
//
// parameters:
//   $ids LIST<STRING>: ids of papers, in order
// returns:
//   id STRING: the paper
//   recorded BOOLEAN: true if it had a record
//   cited LIST<STRING>: ids of the papers and SourceRecords that it cited
//   authors LIST<STRING>: ids of its authors
//   affiliated LIST<STRING>: ids of those authors that have affiliations from its record
//   venues LIST<STRING>: ids of its venues
//   fields LIST<LIST<STRING>>: (scheme, id) of its fields
//   identifiers LIST<LIST<STRING>>: (scheme, value) of its identifiers
UNWIND $ids AS id
MATCH (p:Paper {id: id})
WITH p, p.record_version IS NOT NULL AS recorded
CALL (p) {
  MATCH (p)<-[w:WROTE]-(a:Author)
  WITH a, w, w.affiliations IS NOT NULL AS affiliated
  DELETE w
  RETURN collect(a.id) AS authors, collect(CASE WHEN affiliated THEN a.id END) AS affiliated
}
CALL (p) {
  MATCH (p)-[i:PUBLISHED_IN]->(v:Venue)
  DELETE i
  RETURN collect(v.id) AS venues
}
CALL (p) {
  MATCH (p)-[b:ABOUT]->(f:Field)
  DELETE b
  RETURN collect([f.scheme, f.id]) AS fields
}
CALL (p) {
  MATCH (p)<-[o:OF]-(i:Identifier)
  DELETE o
  RETURN collect([i.scheme, i.value]) AS identifiers
}
CALL (p) {
  MATCH (p)-[c:CITES|NAMES]->(q)
  WITH c, q.id AS id
  DELETE c
  RETURN collect(id) AS cited
}
CALL (p) {
  MATCH (p)-[r:!CITES&!VIEWED&!SAVED&!REFERS_TO&!LISTS]-()
  DELETE r
}
SET p = {id: p.id, sample_key: p.sample_key}
SET p:Stub
RETURN p.id AS id, recorded, cited, authors, affiliated, venues, fields, identifiers
