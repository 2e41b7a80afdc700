// Returns a property of a venue: the settings or the changes of an assignment, as JSON.
//
// parameters:
//   $venue STRING: the venue
//   $property STRING: the property, which depends on the name of the assignment
// returns:
//   value STRING or LIST<STRING>: its value; null before the first assignment or change
MATCH (v:ReviewVenue {name: $venue})
RETURN v[$property] AS value
