// Returns the affiliations of the authors of some papers, or all affiliations.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all affiliations
// returns:
//   id STRING: the affiliation
//   name STRING: its name
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (affiliation:Affiliation)
  RETURN affiliation
  UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})<-[:WROTE]-(:Author)-[:AFFILIATED_WITH]->(affiliation:Affiliation)
  RETURN DISTINCT affiliation
}
RETURN affiliation.id AS id, affiliation.name AS name
