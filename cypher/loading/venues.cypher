// Connects papers with their venues.
//
// Of several names of a venue, the last in alphabetical order is stored, so that the result does
// not depend on the order of loading. Setting `id` first locks the venue, so that concurrent
// transactions see each other's names.
//
// parameters:
//   $papers LIST<STRING>: ids of the papers, which exist
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
