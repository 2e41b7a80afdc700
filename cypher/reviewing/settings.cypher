// Returns the settings of the last scoring and assignment with a name.
//
// parameters:
//   $venue STRING: the venue
//   $property STRING: the property for the name
// returns:
//   settings STRING: the settings as JSON; null before the first assignment
MATCH (v:ReviewVenue {name: $venue})
RETURN v[$property] AS settings
