// Returns the year of a venue.
//
// parameters:
//   $venue STRING: the name
// returns:
//   year INTEGER: its year; may be null; no row for an unknown venue
MATCH (v:ReviewVenue {name: $venue})
RETURN v.year AS year
