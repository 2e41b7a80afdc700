// Deletes the papers of archives without an author who reviews for a venue.
//
// parameters:
//   $authors LIST<STRING>: ids of authors who may no longer be reviewers
// returns:
//   authors LIST<STRING>: ids of the authors of a paper that was deleted
UNWIND $authors AS id
MATCH (:Author {id: id})-[:WROTE_ARCHIVED]->(p:ArchivePaper)
WHERE NOT EXISTS { (p)<-[:WROTE_ARCHIVED]-(:Reviewer) }
WITH DISTINCT p
WITH p, COLLECT { MATCH (p)<-[:WROTE_ARCHIVED]-(a:Author) RETURN a.id } AS authors
DETACH DELETE p
RETURN authors
