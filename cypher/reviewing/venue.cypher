// Creates a venue if it does not exist.
//
// parameters:
//   $venue STRING: the name of the venue
//   $year INTEGER: its year; null keeps the stored year
MERGE (v:ReviewVenue {name: $venue})
SET v.year = coalesce($year, v.year)
