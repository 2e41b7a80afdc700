// Returns papers by their identifiers, or by their ids.
//
// parameters:
//   $entries LIST<MAP>: number INTEGER, scheme STRING, value STRING
// returns:
//   number INTEGER: the number of an entry
//   id STRING: a paper with this identifier or id
//   titled BOOLEAN: false for a stub
UNWIND $entries AS entry
CALL (entry) {
  MATCH (:Identifier {scheme: entry.scheme, value: entry.value})-[:OF]->(paper:Paper)
  RETURN paper
  UNION
  MATCH (paper:Paper) WHERE paper.id IN [entry.value, entry.scheme + ':' + entry.value]
  RETURN paper
  UNION
  MATCH (part:SourceRecord)-[:DESCRIBES]->(paper:Paper)
  WHERE part.id IN [entry.value, entry.scheme + ':' + entry.value]
  RETURN paper
}
WITH entry, paper ORDER BY paper.id
RETURN entry.number AS number, paper.id AS id, paper.title IS NOT NULL AS titled
