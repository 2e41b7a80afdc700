// Returns the venues by name, with their counts.
//
// returns:
//   name STRING: the venue
//   year INTEGER: its year; may be null
//   submissions INTEGER: number of submissions
//   without_known_author INTEGER: number of submissions without an author in the graph
//   reviewers INTEGER: number of reviewers
//   bids INTEGER: number of bids on its submissions
//   conflicts INTEGER: number of declared conflicts
//   assigned INTEGER: number of pairs in the assignment 'reviewer'
MATCH (v:ReviewVenue)
RETURN v.name AS name, v.year AS year,
  COUNT { (v)<-[:SUBMITTED_TO]-() } AS submissions,
  COUNT { MATCH (v)<-[:SUBMITTED_TO]-(s) WHERE NOT EXISTS { (s)<-[:SUBMITTED]-() } } AS without_known_author,
  COUNT { (v)<-[:REVIEWS_FOR]-() } AS reviewers,
  COUNT { (v)<-[:SUBMITTED_TO]-()<-[:BID]-() } AS bids,
  COUNT { (v)<-[:SUBMITTED_TO]-()<-[:DECLARED_CONFLICT]-() } AS conflicts,
  COUNT {
    MATCH (v)<-[:SUBMITTED_TO]-()<-[a:ASSIGNED]-() WHERE coalesce(a.name, 'reviewer') = 'reviewer'
  } AS assigned
ORDER BY name
