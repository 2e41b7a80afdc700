// Keep what a venue needs of the reference corpus of its scores in a space, for good.
//
// parameters:
//   $venue STRING: the name
//   $space STRING: the space
//   $digest STRING: of the model that made the space
//   $kept STRING: as `matching.calibration` writes it
MATCH (v:ReviewVenue {name: $venue})
MERGE (v)-[:SCORES_BY]->(r:ScoreReference {space: $space, digest: $digest})
ON CREATE SET r.kept = $kept
