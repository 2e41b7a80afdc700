// Make bare stubs of papers: what was told or made of them goes, who cites and reads them stays.
//
// parameters:
//   $ids LIST<STRING>: ids of papers, in order
// returns:
//   id STRING: the paper
//   recorded BOOLEAN: it had a record
//   cited LIST<STRING>: ids of the papers and SourceRecords that it cited
//   authors LIST<STRING>: ids of those who wrote it
//   affiliated LIST<STRING>: those of them whose affiliations it gave
//   venues LIST<STRING>: ids of the venues it appeared in
//   fields LIST<LIST<STRING>>: (scheme, id) of the fields it was about
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
  MATCH (p)-[r:!CITES&!VIEWED&!SAVED&!REFERS_TO]-()
  DELETE r
}
SET p = {id: p.id, sample_key: p.sample_key}
SET p:Stub
RETURN p.id AS id, recorded, cited, authors, affiliated, venues, fields, identifiers
