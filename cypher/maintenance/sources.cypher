// Returns the sources of the papers of the graph; it reads all papers.
//
// returns:
//   source STRING: a source
MATCH (p:Paper)
WHERE p.source IS NOT NULL
RETURN DISTINCT p.source AS source
ORDER BY source
