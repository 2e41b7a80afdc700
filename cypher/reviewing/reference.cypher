// What a venue keeps of the reference corpus of its scores in a space.
//
// parameters:
//   $venue STRING: the name
//   $space STRING: the space
//   $digest STRING: of the model that made the space
// returns:
//   kept STRING: as `matching.calibration` writes it; no row before the first scoring
MATCH (:ReviewVenue {name: $venue})-[:SCORES_BY]->(r:ScoreReference {space: $space, digest: $digest})
RETURN r.kept AS kept
