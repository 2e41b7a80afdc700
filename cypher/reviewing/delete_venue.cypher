// Deletes a venue without submissions and reviewers.
//
// parameters:
//   $venue STRING: the venue
MATCH (v:ReviewVenue {name: $venue})
DETACH DELETE v
