// Connect papers with the venues that they appeared in. Setting `id` first locks the venue.
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
WITH papers, v, row
UNWIND row.papers AS number
WITH papers[number] AS p, v
CREATE (p)-[:PUBLISHED_IN]->(v)
