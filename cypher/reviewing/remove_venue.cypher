// Delete a venue that has nothing any more.
//
// parameters:
//   $venue STRING: the venue
MATCH (v:ReviewVenue {name: $venue})
OPTIONAL MATCH (v)-[:SCORES_BY]->(r:ScoreReference)
DETACH DELETE v, r
