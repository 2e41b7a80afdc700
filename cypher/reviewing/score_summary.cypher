// Returns a summary of the last scoring of a venue.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   percentiles LIST<FLOAT>: the affinity percentiles 0 to 100 of all pairs; null before the first
//     scoring
//   is_current BOOLEAN: false if reviewers or the texts of their papers have changed since
MATCH (v:ReviewVenue {name: $venue})
CALL (v) {
  {{include reviewing/is_scoring_current}}
}
RETURN v.affinity_percentiles AS percentiles, is_current
