// Returns the bids of the reviewers of a venue on its submissions.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   value FLOAT: from -1 (not at all) to 1 (eager)
MATCH (v:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
MATCH (s)<-[b:BID]-(r:Author)-[reviews:REVIEWS_FOR]->(v)
RETURN reviews.key AS reviewer, s.key AS submission, b.value AS value
ORDER BY submission, reviewer
