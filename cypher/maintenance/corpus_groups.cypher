// The combined papers that a corpus describes.
//
// parameters:
//   $corpus STRING: the source, or the prefix of ids without its colon
//   $source STRING: how a record that is kept as JSON gives the source
// returns:
//   paper STRING: a combined paper
MATCH (s:SourceRecord)-[:DESCRIBES]->(p:Paper)
WHERE s.id STARTS WITH $corpus + ':' OR s.json CONTAINS $source
  OR s.pending_record CONTAINS $source
RETURN DISTINCT p.id AS paper
