// Delete the relationships that the earlier records of papers made, but for citations that stay.
//
// A citation that stays keeps what else is known of it (intents, contexts).
//
// parameters:
//   $papers LIST<MAP>: id, references LIST<STRING> (of the new record)
// returns:
//   id STRING: the paper
//   kept LIST<STRING>: ids of the papers that it still cites
//   uncited LIST<STRING>: ids of the papers that it cites no longer
//   authors LIST<STRING>: ids of those who wrote it before
//   venues LIST<STRING>: ids of the venues it appeared in before
//   fields LIST<LIST<STRING>>: (scheme, id) of the fields it was about before
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
CALL (p) {
  MATCH (p)<-[w:WROTE]-(a:Author)
  DELETE w
  RETURN collect(a.id) AS authors
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
CALL (p, row) {
  MATCH (p)-[c:CITES]->(q:Paper)
  WHERE NOT q.id IN row.references
  DELETE c
  RETURN collect(q.id) AS uncited
}
RETURN p.id AS id, COLLECT { MATCH (p)-[:CITES]->(q:Paper) RETURN q.id } AS kept,
  uncited, authors, venues, fields
