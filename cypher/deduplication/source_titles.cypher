// Returns the contents of all SourceRecords with records, for their titles.
//
// returns:
//   id STRING: the combined paper
//   json STRING: the content of a SourceRecord
MATCH (s:SourceRecord)-[:DESCRIBES]->(p:Paper)
WHERE s.record_version IS NOT NULL
RETURN p.id AS id, s.json AS json
