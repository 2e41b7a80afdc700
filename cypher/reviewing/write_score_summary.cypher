// Stores a summary of the last scoring of a venue, and the texts that it compared.
//
// parameters:
//   $venue STRING: the venue
//   $percentiles LIST<FLOAT>: the affinity percentiles 0 to 100 of all pairs
//   $reviewers INTEGER: number of scored reviewers
//   $spaces LIST<STRING>: the embedding spaces; null if the affinities are from a file
//   $best LIST<MAP>: submission (its id), affinities LIST<FLOAT> (its highest ones, best first)
MATCH (v:ReviewVenue {name: $venue})
SET v.affinity_percentiles = $percentiles, v.scored_reviewers = $reviewers,
  v.scored_spaces = $spaces
WITH v
CALL (v) {
  MATCH (v)<-[reviews:REVIEWS_FOR]-(r:Author)
  WHERE coalesce(reviews.role, 'reviewer') = 'reviewer'
  SET reviews.scored_texts = COLLECT {
    {{include reviewing/scored_texts}}
  }
}
UNWIND $best AS row
MATCH (s:Submission {id: row.submission})
SET s.best_affinities = row.affinities
