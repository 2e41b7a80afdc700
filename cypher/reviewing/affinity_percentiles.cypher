// Returns the affinity percentiles of the last scoring of a venue.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   percentiles LIST<FLOAT>: the percentiles 0 to 100 of all pairs; null before the first scoring
MATCH (v:ReviewVenue {name: $venue})
RETURN v.affinity_percentiles AS percentiles
