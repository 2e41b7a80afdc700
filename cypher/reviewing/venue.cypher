// Make a venue, if it is not there.
//
// parameters:
//   $venue STRING: its name
//   $year INTEGER: its year; null leaves what is there
MERGE (v:ReviewVenue {name: $venue})
SET v.year = coalesce($year, v.year)
