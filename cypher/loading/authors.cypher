// Connects authors with the papers that they wrote.
//
// Of several names of an author, the last in alphabetical order is stored, so that the result does
// not depend on the order of loading; likewise for ORCIDs. Setting `id` first locks the author, so
// that concurrent transactions see each other's names.
//
// parameters:
//   $papers LIST<STRING>: ids of the papers, which exist
//   $authors LIST<MAP>: id, name, identified, orcid, papers LIST<INTEGER> (from 0), positions (from
//     1), affiliations LIST<LIST<STRING>?> (ids given with the paper)
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $authors AS row
MERGE (a:Author {id: row.id})
  ON CREATE SET a.name = row.name, a.identified = row.identified, a.orcid = row.orcid
SET a.id = row.id
FOREACH (_ IN CASE WHEN a.name < row.name THEN [1] ELSE [] END | SET a.name = row.name)
FOREACH (_ IN CASE WHEN coalesce(a.orcid, '') < row.orcid THEN [1] ELSE [] END |
  SET a.orcid = row.orcid
)
WITH papers, a, row
UNWIND range(0, size(row.papers) - 1) AS i
WITH papers[row.papers[i]] AS p, a, row.positions[i] AS position, row.affiliations[i] AS at
CREATE (a)-[:WROTE {position: position, affiliations: at}]->(p)
