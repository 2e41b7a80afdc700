// Delete what the earlier records of papers made, but for citations that stay.
//
// Where only the references of a paper come from another record, only these go.
//
// What was told apart from records (`apart`) stays. Of a citation that stays, what the earlier
// record told beyond the id goes. Citations of merged papers (`named`, `tellings`) go and are made
// anew.
//
// parameters:
//   $papers LIST<MAP>: id, counts BOOLEAN (its own record is another), references LIST<STRING>?
//     (of the new record; null if they stay as they are)
// returns:
//   id STRING: the paper
//   kept LIST<STRING>: ids of the papers that it still cites, as it names them
//   uncited LIST<STRING>: ids of the papers that it cites no longer, as it named them
//   tellings LIST<STRING>: JSON; what it told of citations, now gone, that it told several times
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
  WHERE b.apart IS NULL AND row.counts
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
  MATCH (p)-[c:CITES]->(q)
  WHERE c.apart IS NULL AND NOT q.id IN row.references
    OR row.references IS NOT NULL
      AND (c.tellings IS NOT NULL OR c.apart IS NULL AND (c.named IS NOT NULL OR q:Merged))
  WITH c, coalesce(c.named, [q.id]) AS named, c.tellings AS tellings
  DELETE c
  RETURN reduce(ids = [], some IN collect(named) | ids + some) AS uncited,
    collect(tellings) AS tellings
}
CALL (p, row) {
  MATCH (p)-[c:CITES]->(:Paper)
  WHERE c.apart IS NULL AND row.references IS NOT NULL
    AND (c.intents IS NOT NULL OR c.influential IS NOT NULL OR c.contexts IS NOT NULL)
  REMOVE c.intents, c.influential, c.contexts
}
RETURN p.id AS id,
  COLLECT { MATCH (p)-[c:CITES]->(q) UNWIND coalesce(c.named, [q.id]) AS id RETURN id } AS kept,
  uncited, tellings, authors, affiliated, venues, fields, identifiers,
  COLLECT { MATCH (p)-[:ABOUT]->(f:Field) RETURN [f.scheme, f.id] } AS labels
