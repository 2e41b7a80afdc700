// Returns the changes of the assignment of a venue by people, since it was last assigned.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   changes LIST<STRING>: the changes as JSON, the oldest first
MATCH (v:ReviewVenue {name: $venue})
RETURN coalesce(v.changes, []) AS changes
