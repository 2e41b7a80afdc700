// Returns the settings of the last scoring and assignment of a venue.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   settings STRING: the settings as JSON; null before the first assignment
MATCH (v:ReviewVenue {name: $venue})
RETURN v.settings AS settings
