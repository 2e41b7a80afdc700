// Returns the combined papers that have a record in a corpus.
//
// parameters:
//   $corpus STRING: the source, or the prefix of ids without its colon
//   $source STRING: the source as it appears in records stored as JSON
// returns:
//   paper STRING: a combined paper
MATCH (s:SourceRecord)-[:DESCRIBES]->(p:Paper)
WHERE s.id STARTS WITH $corpus + ':' OR s.json CONTAINS $source
  OR s.pending_record CONTAINS $source
RETURN DISTINCT p.id AS paper
