// Whether there is a venue of that name.
//
// parameters:
//   $venue STRING: the name
// returns:
//   year INTEGER: its year; may be null; no row where there is no such venue
MATCH (v:ReviewVenue {name: $venue})
RETURN v.year AS year
