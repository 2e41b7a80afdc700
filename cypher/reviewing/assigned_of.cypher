// Returns the assigned pairs of a venue.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment; that of earlier versions, without a name, is 'reviewer'
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   affinity FLOAT: affinity of the pair
//   locked BOOLEAN: true if the pair must stay assigned
MATCH (v:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
MATCH (s)<-[a:ASSIGNED]-(r:Author)-[reviews:REVIEWS_FOR]->(v)
WHERE coalesce(a.name, 'reviewer') = $name
RETURN reviews.key AS reviewer, s.key AS submission, a.affinity AS affinity, a.locked AS locked
ORDER BY submission, reviewer
