// Returns the institutions where reviewers of a venue are or recently were.
//
// parameters:
//   $venue STRING: the venue
//   $since INTEGER: the first year that counts
// returns:
//   key STRING: the key of the reviewer
//   author STRING: the id of the reviewer's author
//   institution STRING: the id of the institution
//   name STRING: its name
//   declared BOOLEAN: true if the venue declares it, false if papers name it
//   certain BOOLEAN: true if the person is identified and the year is known
MATCH (:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(a:Author)
MATCH (a)-[m:MEMBER_OF|AFFILIATED_WITH]->(f:Affiliation)
WHERE coalesce(m.venue, $venue) = $venue AND coalesce(m.until, m.last, $since) >= $since
RETURN reviews.key AS key, a.id AS author, f.id AS institution, f.name AS name,
  m.venue IS NOT NULL AS declared,
  m.venue IS NOT NULL OR (coalesce(a.identified, false) AND m.last IS NOT NULL) AS certain
ORDER BY key, declared DESC, certain DESC, institution
