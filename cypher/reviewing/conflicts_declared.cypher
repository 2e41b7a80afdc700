// Conflicts of interest that were declared.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   reason STRING: the declared reason
{{include reviewing/venue_and_submissions}}
MATCH (s)<-[d:DECLARED_CONFLICT]-(r:Author)
WITH DISTINCT v, s, d, r
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
RETURN reviews.key AS reviewer, s.key AS submission, d.reason AS reason
