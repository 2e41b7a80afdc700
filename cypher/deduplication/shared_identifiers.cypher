// Returns groups of papers that share an identifier; it reads all identifiers.
//
// parameters:
//   $shared_schemes LIST<STRING>: schemes that several papers may share
// returns:
//   papers LIST<STRING>: ids of two or more papers
MATCH (i:Identifier)
WHERE NOT i.scheme IN $shared_schemes AND COUNT { (i)-[:OF]->() } > 1
RETURN COLLECT { MATCH (i)-[:OF]->(p:Paper) RETURN p.id } AS papers
