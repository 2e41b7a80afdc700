// The venues, by name, with what each has.
//
// returns:
//   name STRING: the venue
//   year INTEGER: its year; may be null
//   submissions INTEGER: papers to be reviewed
//   anonymous INTEGER: those of them with no author that the graph knows
//   reviewers INTEGER: reviewers
//   bids INTEGER: bids on its submissions
//   conflicts INTEGER: declared conflicts
//   assigned INTEGER: assigned pairs
MATCH (v:ReviewVenue)
RETURN v.name AS name, v.year AS year,
  COUNT { (v)<-[:SUBMITTED_TO]-() } AS submissions,
  COUNT { MATCH (v)<-[:SUBMITTED_TO]-(s) WHERE NOT EXISTS { (s)<-[:SUBMITTED]-() } } AS anonymous,
  COUNT { (v)<-[:REVIEWS_FOR]-() } AS reviewers,
  COUNT { (v)<-[:SUBMITTED_TO]-()<-[:BID]-() } AS bids,
  COUNT { (v)<-[:SUBMITTED_TO]-()<-[:DECLARED_CONFLICT]-() } AS conflicts,
  COUNT { (v)<-[:SUBMITTED_TO]-()<-[:ASSIGNED]-() } AS assigned
ORDER BY name
