// Connects fields with the broader fields of their scheme.
//
// parameters:
//   $fields LIST<MAP>: scheme, id, broader LIST<STRING>; in their order
UNWIND $fields AS row
MATCH (f:Field {scheme: row.scheme, id: row.id})
FOREACH (id IN row.broader |
  MERGE (b:Field {scheme: row.scheme, id: id})
  SET b.id = id
  MERGE (f)-[:BROADER]->(b)
)
