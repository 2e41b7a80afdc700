// Locks a venue until the end of the transaction, so that no other one changes an assignment.
//
// parameters:
//   $venue STRING: the venue
MATCH (v:ReviewVenue {name: $venue})
SET v.name = v.name
