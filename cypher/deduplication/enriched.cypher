// Returns papers with the records that `enrich` has found for them.
//
// parameters:
//   $enriches STRING: the scheme of the identifiers with the ids of these papers
// returns:
//   papers LIST<STRING>: ids of a paper and of a record
MATCH (i:Identifier {scheme: $enriches})-[:OF]->(record:Paper)
CALL (i) {
  MATCH (paper:Paper {id: i.value}) RETURN paper
  UNION
  MATCH (:SourceRecord {id: i.value})-[:DESCRIBES]->(paper:Paper) RETURN paper
}
WITH record, paper
WHERE record <> paper
RETURN [paper.id, record.id] AS papers
