// Conflicts of interest that were declared.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   reason STRING: the declared reason
MATCH (v:ReviewVenue {name: $venue})
UNWIND $submissions AS id
MATCH (s:Submission {id: id})
USING INDEX SEEK s:Submission(id)
WITH DISTINCT v, s
MATCH (s)<-[d:DECLARED_CONFLICT]-(r:Author)
WITH DISTINCT v, s, d, r
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
RETURN reviews.key AS reviewer, s.key AS submission, d.reason AS reason
