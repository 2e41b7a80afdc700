// Connect papers with the venues that they appeared in.
//
// Where records give one venue several names, the last in the order of the alphabet stays: a rule
// that does not depend on the order of loading. Setting `id` first locks the venue, so that of two
// transactions at once neither overlooks the other's name.
//
// parameters:
//   $papers LIST<STRING>: ids of the papers, which are there
//   $venues LIST<MAP>: id, name, papers LIST<INTEGER> (from 0)
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $venues AS row
MERGE (v:Venue {id: row.id})
  ON CREATE SET v.name = row.name
SET v.id = row.id
FOREACH (_ IN CASE WHEN v.name < row.name THEN [1] ELSE [] END | SET v.name = row.name)
WITH papers, v, row
UNWIND row.papers AS number
WITH papers[number] AS p, v
CREATE (p)-[:PUBLISHED_IN]->(v)
