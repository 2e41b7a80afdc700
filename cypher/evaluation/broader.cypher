// Returns the fields of a scheme with their broader fields.
//
// parameters:
//   $scheme STRING: the scheme, such as mesh
// returns:
//   field STRING: the id of a field
//   broader LIST<STRING>: the ids of the fields directly above it, unordered
MATCH (field:Field {scheme: $scheme})-[:BROADER]->(above:Field)
RETURN field.id AS field, collect(above.id) AS broader
