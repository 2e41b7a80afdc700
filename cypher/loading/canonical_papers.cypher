// Returns the papers that ids with SourceRecords describe.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
// returns:
//   ids LIST<STRING>: the ids that have a SourceRecord
//   papers LIST<STRING>: the id of the paper that each describes; it may be the same
UNWIND $ids AS id
MATCH (s:SourceRecord {id: id})-[:DESCRIBES]->(p:Paper)
RETURN collect(s.id) AS ids, collect(p.id) AS papers
