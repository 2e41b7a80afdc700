// Returns the fields of some papers and all broader ones, or all fields, with broader fields.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all fields
// returns:
//   scheme STRING: the field
//   id STRING: its id
//   name STRING: its name; null if no record gave it
//   listed BOOLEAN: true for a label of a vocabulary, else null
//   broader LIST<STRING>: ids in the same scheme, in order
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (field:Field)
  RETURN field
  UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})-[:ABOUT]->(label:Field)
  WITH DISTINCT label
  MATCH (label)-[:BROADER*0..]->(field:Field)
  RETURN DISTINCT field
}
RETURN field.scheme AS scheme, field.id AS id, field.name AS name, field.listed AS listed,
  COLLECT { MATCH (field)-[:BROADER]->(above:Field) RETURN above.id ORDER BY above.id } AS broader
