// Connects authors with their affiliations, from the first to the last year of their papers.
//
// Setting `id` first locks the affiliation; the authors are locked already.
//
// parameters:
//   $affiliations LIST<MAP>: id, name; in the order of the ids
//   $authors LIST<MAP>: id, affiliation (number, from 0), first, last (years or null); in order
UNWIND $affiliations AS row
MERGE (f:Affiliation {id: row.id})
  ON CREATE SET f.name = row.name
SET f.id = row.id
FOREACH (_ IN CASE WHEN f.name < row.name THEN [1] ELSE [] END | SET f.name = row.name)
WITH collect(f) AS affiliations
UNWIND $authors AS row
MATCH (a:Author {id: row.id})
WITH a, affiliations[row.affiliation] AS f, row
MERGE (a)-[w:AFFILIATED_WITH]->(f)
FOREACH (_ IN CASE WHEN coalesce(w.first, 9999) > row.first THEN [1] ELSE [] END |
  SET w.first = row.first
)
FOREACH (_ IN CASE WHEN coalesce(w.last, 0) < row.last THEN [1] ELSE [] END |
  SET w.last = row.last
)
