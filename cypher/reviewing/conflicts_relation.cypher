// Conflicts of interest: the venue declares a relation of the reviewer and an author.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
//   $since INTEGER: the first year that counts
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   author STRING: the name of the author
//   relation STRING: the relation, such as advisor
//   until INTEGER: the last year; null if it continues
{{include reviewing/venue_and_submissions}}
MATCH (s)<-[:SUBMITTED]-(a:Author)-[t:RELATED_TO]-(r:Reviewer)
WHERE r <> a AND t.venue = $venue AND coalesce(t.until, $since) >= $since
WITH DISTINCT v, s, a, t, r
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
RETURN reviews.key AS reviewer, s.key AS submission, a.name AS author, t.relation AS relation,
  t.until AS until
ORDER BY coalesce(until, 9999) DESC, author
