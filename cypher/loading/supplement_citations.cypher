// Creates supplementary citations; both papers may become stubs.
//
// Of several supplementary citations of a pair, the one of highest rank is stored.
//
// parameters:
//   $papers LIST<MAP>: id, sample_key of all these papers, in the order of the ids
//   $citations LIST<MAP>: citing INTEGER and cited INTEGER (numbers of papers, from 0), rank,
//     properties
// returns:
//   created INTEGER: number of new citations
//   changed INTEGER: number of citations whose properties were replaced
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
WITH collect(p) AS papers
UNWIND $citations AS row
WITH papers[row.citing] AS p, papers[row.cited] AS q, row
MERGE (p)-[c:CITES]->(q)
  ON CREATE SET c.supplement_rank = -1
WITH c, row, c.supplement_rank AS before
WHERE before IS NULL OR before < row.rank
SET c += row.properties, c.supplement_rank = row.rank
RETURN count(CASE WHEN before = -1 THEN 1 END) AS created,
  count(CASE WHEN before IS NULL OR before >= 0 THEN 1 END) AS changed
