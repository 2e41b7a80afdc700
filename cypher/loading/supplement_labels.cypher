// Connects papers with fields from supplementary files.
//
// Setting `id` first locks the field.
//
// parameters:
//   $papers LIST<MAP>: id, sample_key; in the order of the ids
//   $fields LIST<MAP>: scheme, id, name, papers LIST<INTEGER> (from 0); in their order
// returns:
//   created INTEGER: number of new labels
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
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
MERGE (p)-[a:ABOUT]->(f)
WITH a WHERE a.supplementary IS NULL
SET a.supplementary = true
RETURN count(*) AS created
