// Make citations of SourceRecords, from which derive_citations makes those of papers.
//
// Of several supplements for one citation that of greatest rank stays; it replaces what the record
// of the citing paper says.
//
// parameters:
//   $citations LIST<MAP>: citing, sample_key (of the citing paper), cited (id of a SourceRecord), rank
//     (null where the record of the citing paper has the citation), properties
// returns:
//   created INTEGER: citations that were not there
//   changed INTEGER: citations with other properties than before
UNWIND $citations AS row
MATCH (s:SourceRecord {id: row.cited})
MERGE (p:Paper {id: row.citing})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
MERGE (p)-[n:NAMES]->(s)
  ON CREATE SET n.supplement_rank = -1
WITH n, row, n.supplement_rank AS before
WHERE before = -1 OR before < row.rank OR before IS NULL AND row.rank IS NOT NULL
SET n += row.properties, n.supplement_rank = row.rank
RETURN count(CASE WHEN before = -1 THEN 1 END) AS created,
  count(CASE WHEN before IS NULL OR before >= 0 THEN 1 END) AS changed
