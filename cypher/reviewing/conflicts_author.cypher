// Conflicts of interest: the reviewer is an author of the submission.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   name STRING: the reviewer's name
//   certain BOOLEAN: false if the author is known only by name
{{include reviewing/venue_and_submissions}}
MATCH (s)<-[:SUBMITTED]-(r:Author)
WITH DISTINCT v, s, r
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
RETURN reviews.key AS reviewer, s.key AS submission, r.name AS name,
  coalesce(r.identified, false) AS certain
