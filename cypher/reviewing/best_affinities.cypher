// Returns the highest affinity of each submission of a venue in the last scoring.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   submission STRING: the key of a submission that was scored
//   affinity FLOAT: the highest affinity of a reviewer
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
WHERE size(s.best_affinities) > 0
RETURN s.key AS submission, s.best_affinities[0] AS affinity
