// Writes submissions of a venue and replaces their earlier properties; vectors remain.
//
// The stored affinities of a submission whose text changes are deleted.
// A submission refers to the node with the id of the reference: a paper, or the SourceRecord of a
// merged paper.
//
// parameters:
//   $venue STRING: the venue, which exists
//   $submissions LIST<MAP>: id, properties, authors LIST<MAP> of id and position, references
//     LIST<STRING>; in the order of the ids
MATCH (v:ReviewVenue {name: $venue})
UNWIND $submissions AS row
MERGE (s:Submission {id: row.id})
SET s.best_affinities = CASE
  WHEN s.title = row.properties.title
    AND coalesce(s.abstract, '') = coalesce(row.properties.abstract, '') THEN s.best_affinities
END
SET s += row.properties
MERGE (s)-[:SUBMITTED_TO]->(v)
WITH s, row
CALL (s) {
  MATCH (s)<-[by:SUBMITTED]-()
  DELETE by
}
CALL (s) {
  MATCH (s)-[to:REFERS_TO]->()
  DELETE to
}
CALL (s, row) {
  UNWIND row.authors AS author
  MATCH (a:Author {id: author.id})
  CREATE (a)-[:SUBMITTED {position: author.position}]->(s)
}
CALL (s, row) {
  UNWIND row.references AS id
  MATCH (p:Paper {id: id})
  CREATE (s)-[:REFERS_TO]->(p)
}
CALL (s, row) {
  UNWIND row.references AS id
  MATCH (m:SourceRecord {id: id})
  WHERE NOT EXISTS { (:Paper {id: id}) }
  CREATE (s)-[:REFERS_TO]->(m)
}
