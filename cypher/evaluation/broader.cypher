// The fields of a scheme that have broader ones.
//
// parameters:
//   $scheme STRING: mesh, say
// returns:
//   field STRING: the id of a field
//   broader LIST<STRING>: the ids of those just above it, in no order
MATCH (field:Field {scheme: $scheme})-[:BROADER]->(above:Field)
RETURN field.id AS field, collect(above.id) AS broader
