// Returns the changes of an assignment of a venue by people, since it was last assigned.
//
// parameters:
//   $venue STRING: the venue
//   $property STRING: the property of the list for the name of the assignment
// returns:
//   changes LIST<STRING>: the changes as JSON, the oldest first
MATCH (v:ReviewVenue {name: $venue})
RETURN coalesce(v[$property], []) AS changes
