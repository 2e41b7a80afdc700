// Returns the papers for references, by their ids or else by their identifiers.
//
// parameters:
//   $references LIST<MAP>: given, scheme, value (both may be null)
// returns:
//   given STRING: the given reference
//   id STRING: the id of a paper, or of a SourceRecord
UNWIND $references AS row
WITH row, EXISTS { (:Paper {id: row.given}) } OR EXISTS { (:SourceRecord {id: row.given}) } AS known
CALL (row, known) {
  WITH * WHERE known
  RETURN row.given AS id
  UNION
  WITH * WHERE NOT known
  MATCH (:Identifier {scheme: row.scheme, value: row.value})-[:OF]->(p:Paper)
  RETURN p.id AS id
}
RETURN row.given AS given, id
