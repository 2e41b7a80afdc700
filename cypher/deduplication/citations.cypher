// Make citations or change those that are there; papers without a record become stubs.
//
// parameters:
//   $papers LIST<MAP>: id, draw of all papers named, in the order of the ids
//   $citations LIST<MAP>: citing INTEGER and cited INTEGER (numbers of papers, from 0), properties
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.draw = row.draw
WITH collect(p) AS papers
UNWIND $citations AS row
WITH papers[row.citing] AS p, papers[row.cited] AS q, row
MERGE (p)-[c:CITES]->(q)
SET c += row.properties
