// Connects papers with their identifiers. Setting `scheme` first locks the identifier.
//
// parameters:
//   $papers LIST<STRING>: ids of the papers, which exist
//   $identifiers LIST<MAP>: scheme, value, papers LIST<INTEGER> (from 0)
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $identifiers AS row
MERGE (i:Identifier {scheme: row.scheme, value: row.value})
SET i.scheme = row.scheme
WITH papers, i, row
UNWIND row.papers AS number
WITH papers[number] AS p, i
CREATE (i)-[:OF]->(p)
