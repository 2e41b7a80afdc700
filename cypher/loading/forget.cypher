// Deletes the relationships from earlier records of papers, except citations that remain.
//
// If only the references of a paper come from another record, only these are deleted. Supplements
// remain. A citation that remains loses the properties from the earlier record. Citations of
// SourceRecords (NAMES) are deleted with the citations derived from them, which must be derived
// again.
//
// parameters:
//   $papers LIST<MAP>: id, counts BOOLEAN (the paper has another record), references LIST<STRING>?
//     (of the new record; null if they do not change)
// returns:
//   id STRING: the paper
//   remaining LIST<STRING>: ids of the papers and SourceRecords that it still cites
//   named BOOLEAN: true if it still cites SourceRecords
//   uncited LIST<STRING>: ids of the papers and SourceRecords that it no longer cites
//   authors LIST<STRING>: ids of the authors of the earlier record
//   affiliated LIST<STRING>: ids of those authors that have affiliations from this record
//   venues LIST<STRING>: ids of the venues of the earlier record
//   fields LIST<LIST<STRING>>: (scheme, id) of the fields of the earlier record
//   labels LIST<LIST<STRING>>: (scheme, id) of the fields that remain
//   identifiers LIST<LIST<STRING>>: (scheme, value) of the identifiers of the earlier record
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
  COLLECT { MATCH (p)-[:CITES|NAMES]->(q) RETURN q.id } AS remaining,
  row.references IS NOT NULL AND EXISTS { (p)-[:NAMES]->() } AS named,
  uncited + unnamed AS uncited, authors, affiliated, venues, fields, identifiers,
  COLLECT { MATCH (p)-[:ABOUT]->(f:Field) RETURN [f.scheme, f.id] } AS labels
