// Removes reviewers from a venue, with their bids, conflicts and assignments.
//
// parameters:
//   $venue STRING: the venue
//   $limit INTEGER: maximum number of reviewers
// returns:
//   author STRING: the id of a removed reviewer
MATCH (v:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(r:Author)
WITH v, reviews, r LIMIT $limit
DELETE reviews
WITH v, r
CALL (v, r) {
  MATCH (r)-[relationship:BID|DECLARED_CONFLICT|ASSIGNED]->(:Submission)-[:SUBMITTED_TO]->(v)
  DELETE relationship
}
CALL (r) {
  WITH * WHERE NOT EXISTS { (r)-[:REVIEWS_FOR]->() }
  REMOVE r:Reviewer
}
RETURN r.id AS author
