// Stores a summary of the last scoring of a venue.
//
// parameters:
//   $venue STRING: the venue
//   $percentiles LIST<FLOAT>: the affinity percentiles 0 to 100 of all pairs
//   $reviewers INTEGER: number of scored reviewers
//   $best LIST<MAP>: submission (its id), affinities LIST<FLOAT> (its highest ones, best first)
MATCH (v:ReviewVenue {name: $venue})
SET v.affinity_percentiles = $percentiles, v.scored_reviewers = $reviewers
WITH v
UNWIND $best AS row
MATCH (s:Submission {id: row.submission})
SET s.best_affinities = row.affinities
