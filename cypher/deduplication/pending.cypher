// Returns combined papers with pending SourceRecords.
//
// returns:
//   paper STRING: a combined paper
MATCH (:Pending)-[:DESCRIBES]->(p:Paper)
RETURN DISTINCT p.id AS paper
ORDER BY paper
