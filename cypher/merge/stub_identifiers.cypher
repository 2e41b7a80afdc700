// Stubs whose ids are identifiers of other papers. Looks at all stubs: once in a merge.
//
// parameters:
//   $wholes LIST<STRING>: schemes that do not tell papers apart
// returns:
//   papers LIST<STRING>: the id of the stub, and of papers that have its identifier
MATCH (s:Paper&Stub)
WITH s, split(s.id, ':')[0] AS scheme
WHERE size(scheme) < size(s.id) AND NOT scheme IN $wholes
MATCH (i:Identifier {scheme: scheme, value: substring(s.id, size(scheme) + 1)})
WHERE EXISTS { (i)-[:OF]->(:Paper) }
RETURN [s.id] + COLLECT { MATCH (i)-[:OF]->(p:Paper) RETURN p.id } AS papers
