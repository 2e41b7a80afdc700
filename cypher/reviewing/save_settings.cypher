// Stores the settings of the last scoring and assignment with a name; null deletes them.
//
// parameters:
//   $venue STRING: the venue
//   $property STRING: the property for the name
//   $settings STRING: the settings as JSON
MATCH (v:ReviewVenue {name: $venue})
SET v[$property] = $settings
