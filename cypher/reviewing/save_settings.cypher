// Stores the settings of the last scoring and assignment of a venue.
//
// parameters:
//   $venue STRING: the venue
//   $settings STRING: the settings as JSON
MATCH (v:ReviewVenue {name: $venue})
SET v.settings = $settings
