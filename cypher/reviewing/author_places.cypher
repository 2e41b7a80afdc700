// Returns the institutions where authors of submissions are or recently were.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
//   $since INTEGER: the first year that counts
// returns:
//   key STRING: the key of the submission
//   author STRING: the id of the author
//   author_name STRING: the name of the author
//   institution STRING: the id of the institution
//   name STRING: its name
//   declared BOOLEAN: true if the venue declares it, false if papers name it
//   certain BOOLEAN: true if the person is identified and the year is known
UNWIND $submissions AS id
MATCH (s:Submission {id: id})<-[:SUBMITTED]-(a:Author)
MATCH (a)-[m:MEMBER_OF|AFFILIATED_WITH]->(f:Affiliation)
WHERE coalesce(m.venue, $venue) = $venue AND coalesce(m.until, m.last, $since) >= $since
RETURN s.key AS key, a.id AS author, a.name AS author_name, f.id AS institution, f.name AS name,
  m.venue IS NOT NULL AS declared,
  m.venue IS NOT NULL OR (coalesce(a.identified, false) AND m.last IS NOT NULL) AS certain
ORDER BY key, declared DESC, certain DESC, author, institution
