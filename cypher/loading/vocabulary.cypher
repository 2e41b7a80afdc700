// Writes the labels of a vocabulary and their broader labels.
//
// Of several names of a label, the last in alphabetical order is stored; any name is preferred to
// the id.
//
// parameters:
//   $fields LIST<MAP>: scheme, id, name, broader LIST<STRING>; in their order
// returns:
//   created INTEGER: number of new labels
UNWIND $fields AS row
MERGE (f:Field {scheme: row.scheme, id: row.id})
  ON CREATE SET f.name = row.name, f.listed = true
WITH f, row, f.listed IS NULL AS known
FOREACH (_ IN CASE
    WHEN f.name IS NULL OR row.name <> row.id AND (f.name = f.id OR f.name < row.name) THEN [1]
    ELSE []
  END | SET f.name = row.name)
SET f.listed = true
FOREACH (id IN row.broader |
  MERGE (b:Field {scheme: row.scheme, id: id})
  SET b.id = id
  MERGE (f)-[:BROADER]->(b)
)
RETURN count(CASE WHEN NOT known THEN 1 END) AS created
