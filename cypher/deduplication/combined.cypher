// Returns all combined papers with their SourceRecords, by id.
//
// returns:
//   members LIST<MAP>: sample_key, record_version, load, json
MATCH (own:SourceRecord) WHERE own.id > ''
MATCH (own)-[:DESCRIBES]->(p:Paper) WHERE p.id = own.id
RETURN COLLECT {
    MATCH (s:SourceRecord)-[:DESCRIBES]->(p)
    RETURN s {.sample_key, .record_version, .load, .json}
  } AS members
ORDER BY own.id
