// Returns stubs whose ids are identifiers of other papers, also with a prefix (mine:doi:10.1/x).
//
// It reads all stubs.
//
// parameters:
//   $shared_schemes LIST<STRING>: schemes that several papers may share
// returns:
//   papers LIST<STRING>: the id of the stub, and of papers that have its identifier
MATCH (s:Paper&Stub)
UNWIND [s.id, substring(s.id, size(split(s.id, ':')[0]) + 1)] AS id
WITH s, id, split(id, ':')[0] AS scheme
WHERE size(scheme) < size(id) AND NOT scheme IN $shared_schemes
MATCH (i:Identifier {scheme: scheme, value: substring(id, size(scheme) + 1)})
WHERE EXISTS { (i)-[:OF]->(:Paper) }
RETURN [s.id] + COLLECT { MATCH (i)-[:OF]->(p:Paper) RETURN p.id } AS papers
