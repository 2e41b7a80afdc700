// Papers that have an identifier in common. Looks at all identifiers: once in a merge.
//
// parameters:
//   $wholes LIST<STRING>: schemes that do not tell papers apart
// returns:
//   papers LIST<STRING>: ids of papers, two or more
MATCH (i:Identifier)
WHERE NOT i.scheme IN $wholes AND COUNT { (i)-[:OF]->() } > 1
RETURN COLLECT { MATCH (i)-[:OF]->(p:Paper) RETURN p.id } AS papers
