// Creates supplementary citations of SourceRecords; the citing papers may become stubs.
//
// Of several supplementary citations of a pair, the one of highest rank is stored; it replaces the
// properties from the record of the citing paper.
//
// parameters:
//   $citations LIST<MAP>: citing, sample_key (of the citing paper), cited (id of a SourceRecord),
//     rank, properties
// returns:
//   created INTEGER: number of new citations
//   changed INTEGER: number of citations whose properties changed
UNWIND $citations AS row
MATCH (s:SourceRecord {id: row.cited})
MERGE (p:Paper {id: row.citing})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
MERGE (p)-[n:NAMES]->(s)
  ON CREATE SET n.supplement_rank = -1
WITH n, row, n.supplement_rank AS before
WHERE before IS NULL OR before < row.rank
SET n += row.properties, n.supplement_rank = row.rank
RETURN count(CASE WHEN before = -1 THEN 1 END) AS created,
  count(CASE WHEN before IS NULL OR before >= 0 THEN 1 END) AS changed
