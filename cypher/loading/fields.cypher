// Connects papers with their fields.
//
// Of several names of a field, the last in alphabetical order is stored; any name is preferred to
// the id. Setting `id` first locks the field.
//
// parameters:
//   $papers LIST<STRING>: ids of the papers, which exist
//   $fields LIST<MAP>: scheme, id, name, papers LIST<INTEGER> (from 0)
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $fields AS row
MERGE (f:Field {scheme: row.scheme, id: row.id})
  ON CREATE SET f.name = row.name
SET f.id = row.id
FOREACH (_ IN CASE
    WHEN f.name IS NULL OR row.name <> row.id AND (f.name = f.id OR f.name < row.name) THEN [1]
    ELSE []
  END | SET f.name = row.name)
WITH papers, f, row
UNWIND row.papers AS number
WITH papers[number] AS p, f
CREATE (p)-[:ABOUT]->(f)
