// Deletes the declared relations of a venue.
//
// parameters:
//   $venue STRING: the venue
MATCH ()-[t:RELATED_TO {venue: $venue}]->()
DELETE t
