// Returns the venues of some papers, or all venues.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all venues
// returns:
//   id STRING: the venue
//   name STRING: its name
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (venue:Venue)
  RETURN venue
  UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})-[:PUBLISHED_IN]->(venue:Venue)
  RETURN DISTINCT venue
}
RETURN venue.id AS id, venue.name AS name
