// Deletes submissions of a venue with their relationships.
//
// parameters:
//   $venue STRING: the venue
//   $ids LIST<STRING>: ids of submissions, null for all
//   $limit INTEGER: maximum number of submissions
// returns:
//   submission STRING: the id of a deleted submission
//   papers LIST<STRING>: ids of the papers that it referred to
//   authors LIST<STRING>: ids of its authors
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
WHERE $ids IS NULL OR s.id IN $ids
WITH s LIMIT $limit
WITH s, s.id AS submission,
  COLLECT { MATCH (s)-[:REFERS_TO]->(p) RETURN p.id } AS papers,
  COLLECT { MATCH (s)<-[:SUBMITTED]-(a) RETURN a.id } AS authors
DETACH DELETE s
RETURN submission, papers, authors
