// The sources of the papers of the graph. Looks at all of them.
//
// returns:
//   source STRING: a source
MATCH (p:Paper)
WHERE p.source IS NOT NULL
RETURN DISTINCT p.source AS source
ORDER BY source
