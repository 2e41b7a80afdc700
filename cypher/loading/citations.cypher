// Creates citations; cited papers that do not exist become stubs.
//
// Setting `sample_key` first locks the cited paper, because locks that are taken at commit could
// deadlock with the next transaction. The citing papers are looked up once and then taken from a
// list by number: a look-up for each citation takes a third more time.
//
// parameters:
//   $papers LIST<STRING>: ids of the citing papers, which exist
//   $cited LIST<MAP>: id and sample_key of a cited paper, by LIST<INTEGER>: citing papers, from 0
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $cited AS row
MERGE (q:Paper {id: row.id})
  ON CREATE SET q:Stub
SET q.sample_key = coalesce(q.sample_key, row.sample_key)
WITH papers, q, row
UNWIND row.by AS number
WITH papers[number] AS p, q
CREATE (p)-[:CITES]->(q)
