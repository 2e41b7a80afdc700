// Delete what the earlier records of papers made, but for citations that stay.
//
// Where only the references of a paper come from another record, only these go.
//
// Supplements remain. A citation that remains loses the details of the former record.
// Citations of SourceRecords (NAMES) are deleted, and the citations derived from any of them, which
// are to be derived anew.
//
// parameters:
//   $papers LIST<MAP>: id, counts BOOLEAN (its own record is another), references LIST<STRING>?
//     (of the new record; null if they stay as they are)
// returns:
//   id STRING: the paper
//   kept LIST<STRING>: ids of the papers that it still cites
//   named BOOLEAN: it still cites SourceRecords
//   uncited LIST<STRING>: ids of the papers and SourceRecords that it cites no longer
//   authors LIST<STRING>: ids of those who wrote it before
//   affiliated LIST<STRING>: those of them whose affiliations it gave
//   venues LIST<STRING>: ids of the venues it appeared in before
//   fields LIST<LIST<STRING>>: (scheme, id) of the fields it was about before
//   labels LIST<LIST<STRING>>: (scheme, id) of the fields it is about all the same
//   identifiers LIST<LIST<STRING>>: (scheme, value) of its identifiers before
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
CALL (p, row) {
  MATCH (p)<-[w:WROTE]-(a:Author)
  WHERE row.counts
  WITH a, w, w.affiliations IS NOT NULL AS affiliated
  DELETE w
  RETURN collect(a.id) AS authors, collect(CASE WHEN affiliated THEN a.id END) AS affiliated
}
CALL (p, row) {
  MATCH (p)-[i:PUBLISHED_IN]->(v:Venue)
  WHERE row.counts
  DELETE i
  RETURN collect(v.id) AS venues
}
CALL (p, row) {
  MATCH (p)-[b:ABOUT]->(f:Field)
  WHERE b.supplementary IS NULL AND row.counts
  DELETE b
  RETURN collect([f.scheme, f.id]) AS fields
}
CALL (p, row) {
  MATCH (p)<-[o:OF]-(i:Identifier)
  WHERE row.counts
  DELETE o
  RETURN collect([i.scheme, i.value]) AS identifiers
}
CALL (p, row) {
  MATCH (p)-[n:NAMES]->(s:SourceRecord)
  WHERE n.supplement_rank IS NULL AND row.references IS NOT NULL
  WITH n, s.id AS id
  DELETE n
  RETURN collect(id) AS unnamed
}
CALL (p, row) {
  MATCH (p)-[c:CITES]->(q:Paper)
  WHERE row.references IS NOT NULL
  WITH c, q.id AS id, c.supplement_rank IS NULL AND NOT q.id IN row.references AS uncited,
    EXISTS { (q)<-[:DESCRIBES]-() } AS derived
  WHERE uncited OR derived
  DELETE c
  RETURN collect(CASE WHEN NOT derived THEN id END) AS uncited
}
CALL (p, row) {
  MATCH (p)-[c:CITES]->(:Paper)
  WHERE c.supplement_rank IS NULL AND row.references IS NOT NULL
    AND (c.intents IS NOT NULL OR c.influential IS NOT NULL OR c.contexts IS NOT NULL)
  REMOVE c.intents, c.influential, c.contexts
}
RETURN p.id AS id,
  COLLECT { MATCH (p)-[:CITES]->(q) RETURN q.id } AS kept,
  row.references IS NOT NULL AND EXISTS { (p)-[:NAMES]->() } AS named,
  uncited + unnamed AS uncited, authors, affiliated, venues, fields, identifiers,
  COLLECT { MATCH (p)-[:ABOUT]->(f:Field) RETURN [f.scheme, f.id] } AS labels
