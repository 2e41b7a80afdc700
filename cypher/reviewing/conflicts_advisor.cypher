// Likely conflicts of interest: one was first author and the other last author of several papers.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
//   $papers INTEGER: minimum number of common papers
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   author STRING: the name of the author
//   advises BOOLEAN: true if the reviewer was the last author
//   papers LIST<STRING>: ids of the papers, newest first
//   years LIST<INTEGER>: their known years
{{include reviewing/venue_and_submissions}}
MATCH (s)<-[:SUBMITTED]-(a:Author)
  -[theirs:WROTE|WROTE_ARCHIVED]->(p:Paper|ArchivePaper)
WITH DISTINCT v, s, a, p, theirs
MATCH (p)<-[own:WROTE|WROTE_ARCHIVED]-(r:Reviewer)
WHERE r <> a AND (own.position = 1 OR theirs.position = 1)
WITH DISTINCT v, s, a, p, r, own, theirs
MATCH (r)-[reviews:REVIEWS_FOR]->(v)
CALL (p) {
  MATCH (p)<-[each:WROTE|WROTE_ARCHIVED]-()
  RETURN max(each.position) AS last
}
WITH s, a, p, reviews, own.position = last AS advises,
  [own.position, theirs.position] AS places, last
WHERE places IN [[1, last], [last, 1]]
WITH s, a, reviews, advises, p.id AS paper, max(p.year) AS year
ORDER BY coalesce(year, 0) DESC, paper
WITH reviews.key AS reviewer, s.key AS submission, a, advises,
  collect(paper) AS papers, collect(year) AS years
WHERE size(papers) >= $papers
RETURN reviewer, submission, a.name AS author, advises, papers, years
ORDER BY size(papers) DESC, author, a.id, advises
