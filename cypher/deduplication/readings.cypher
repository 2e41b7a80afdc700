// Make readings that are not there.
//
// parameters:
//   $papers LIST<MAP>: id, draw of all papers named, in the order of the ids
//   $readings LIST<MAP>: reader, kind, paper INTEGER (number, from 0), at, session, named; in order
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.draw = row.draw
WITH collect(p) AS papers
UNWIND $readings AS row
MERGE (r:Reader {id: row.reader})
WITH r, papers[row.paper] AS p, row
FOREACH (_ IN CASE row.kind WHEN 'VIEWED' THEN [1] ELSE [] END |
  CREATE (r)-[:VIEWED {at: row.at, session: row.session, named: row.named}]->(p)
)
FOREACH (_ IN CASE row.kind WHEN 'READ' THEN [1] ELSE [] END |
  CREATE (r)-[:READ {at: row.at, session: row.session, named: row.named}]->(p)
)
