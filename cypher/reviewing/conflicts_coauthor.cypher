// Conflicts of interest: the reviewer recently wrote a paper with an author of the submission.
//
// Papers whose year is not known count, and make the conflict uncertain.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
//   $since INTEGER: the first year that counts
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   author STRING: the name of the author
//   paper STRING: the id of the newest common paper that is certain, or else of the newest one
//   title STRING: its title; may be null
//   year INTEGER: its year; may be null
//   papers INTEGER: number of common papers with any of the authors
//   certain BOOLEAN: true if the year is known and both authors are identified
{{include reviewing/venue_and_submissions}}
MATCH (s)<-[:SUBMITTED]-(a:Author)-[:WROTE|WROTE_ARCHIVED]->(p:Paper|ArchivePaper)
WHERE p.year >= $since OR p.year IS NULL
WITH DISTINCT v, s, a, p
MATCH (p)<-[:WROTE|WROTE_ARCHIVED]-(r:Reviewer)
WHERE r <> a
WITH DISTINCT v, s, a, p, r
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
WITH s, a, p, reviews,
  coalesce(r.identified AND a.identified, false) AND p.year IS NOT NULL AS certain
ORDER BY certain DESC, coalesce(p.year, 0) DESC, p.id, a.id
WITH reviews.key AS reviewer, s.key AS submission, count(DISTINCT p.id) AS papers,
  collect({
    author: a.name, paper: p.id, title: p.title, year: p.year, certain: certain
  })[0] AS best
RETURN reviewer, submission, best.author AS author, best.paper AS paper, best.title AS title,
  best.year AS year, papers, best.certain AS certain
