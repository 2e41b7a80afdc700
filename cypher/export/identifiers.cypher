// Returns the identifiers of some papers, or all identifiers.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all identifiers
// returns:
//   scheme STRING: the identifier
//   value STRING: its value
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (identifier:Identifier)
  RETURN identifier
  UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})<-[:OF]-(identifier:Identifier)
  RETURN DISTINCT identifier
}
RETURN identifier.scheme AS scheme, identifier.value AS value
