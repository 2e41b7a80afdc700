// The papers that ids with SourceRecords describe.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
// returns:
//   id STRING: one of them that has a SourceRecord
//   paper STRING: the id of the paper that it describes; it may be the same
UNWIND $ids AS id
MATCH (s:SourceRecord {id: id})-[:DESCRIBES]->(p:Paper)
RETURN s.id AS id, p.id AS paper
