// Delete a venue that has nothing any more.
//
// parameters:
//   $venue STRING: the venue
MATCH (v:ReviewVenue {name: $venue})
DETACH DELETE v
