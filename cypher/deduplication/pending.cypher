// Combined papers of which SourceRecords are pending.
//
// returns:
//   paper STRING: a combined paper
MATCH (:Pending)-[:DESCRIBES]->(p:Paper)
RETURN DISTINCT p.id AS paper
ORDER BY paper
