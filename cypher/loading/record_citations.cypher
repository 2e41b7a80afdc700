// Creates citations of SourceRecords, from which derive_citations derives citations of papers.
//
// parameters:
//   $papers LIST<STRING>: ids of the citing papers, which exist
//   $cited LIST<MAP>: id of a SourceRecord, by LIST<INTEGER> (citing papers, from 0), properties
//     LIST<MAP> (of these citations)
UNWIND $papers AS id
MATCH (p:Paper {id: id})
WITH collect(p) AS papers
UNWIND $cited AS row
MATCH (s:SourceRecord {id: row.id})
UNWIND range(0, size(row.by) - 1) AS i
WITH papers[row.by[i]] AS p, s, row.properties[i] AS properties
CREATE (p)-[n:NAMES]->(s)
SET n = properties
