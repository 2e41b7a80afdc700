// The reviewers of a venue who have a conflict of interest with a submission, certain or likely.
//
// A fragment, which other statements include: `v` is the venue, `s` the submission. The conflicts
// are the ones of the statements conflicts_author, conflicts_coauthor, conflicts_affiliation,
// conflicts_advisor, conflicts_relation and conflicts_declared, and those by e-mail addresses and
// declared institutions.
//
// parameters:
//   $years INTEGER: years for which common papers and affiliations count
// returns:
//   reviewer NODE: a reviewer
MATCH (s)<-[:SUBMITTED|DECLARED_CONFLICT]-(reviewer:Reviewer)
RETURN reviewer
UNION
MATCH (s)<-[:SUBMITTED]-(a:Author)-[:WROTE|WROTE_ARCHIVED]->(p:Paper|ArchivePaper)
WHERE p.year >= coalesce(v.year, date().year) - $years OR p.year IS NULL
MATCH (p)<-[:WROTE|WROTE_ARCHIVED]-(reviewer:Reviewer)
RETURN reviewer
UNION
MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:AFFILIATED_WITH]->(f:Affiliation),
  (f)<-[own:AFFILIATED_WITH]-(reviewer:Reviewer)-[:REVIEWS_FOR]->(v)
USING JOIN ON f
WHERE (own.last >= coalesce(v.year, date().year) - $years OR own.last IS NULL)
  AND (theirs.last >= coalesce(v.year, date().year) - $years OR theirs.last IS NULL)
RETURN reviewer
UNION
MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:WROTE|WROTE_ARCHIVED]->(p:Paper|ArchivePaper)
MATCH (p)<-[own:WROTE|WROTE_ARCHIVED]-(reviewer:Reviewer)
WHERE own.position = 1 OR theirs.position = 1
CALL (p) {
  MATCH (p)<-[each:WROTE|WROTE_ARCHIVED]-()
  RETURN max(each.position) AS last
}
WITH a, p, reviewer, own.position = last AS advises, [own.position, theirs.position] AS places, last
WHERE a <> reviewer AND places IN [[1, last], [last, 1]]
WITH a, reviewer, advises, count(DISTINCT p.id) AS together
WHERE together >= 2
RETURN reviewer
UNION
MATCH (v)<-[reviews:REVIEWS_FOR]-(reviewer:Reviewer)
WHERE EXISTS { (s)<-[:SUBMITTED]-(:Author {id: 'email:' + toLower(reviews.email)}) }
RETURN reviewer
UNION
MATCH (s)<-[:SUBMITTED]-(a:Author)-[t:RELATED_TO]-(reviewer:Reviewer)
WHERE t.venue = v.name AND coalesce(t.until, 9999) >= coalesce(v.year, date().year) - $years
RETURN reviewer
UNION
MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:MEMBER_OF|AFFILIATED_WITH]->(f:Affiliation)
WHERE coalesce(theirs.venue, v.name) = v.name
  AND coalesce(theirs.until, theirs.last, 9999) >= coalesce(v.year, date().year) - $years
MATCH (f)-[within:WITHIN*0..1]-(g:Affiliation)
WHERE all(each IN within WHERE each.venue = v.name)
WITH v, collect(DISTINCT g) AS places
MATCH (v)<-[:REVIEWS_FOR]-(reviewer:Reviewer)-[own:MEMBER_OF|AFFILIATED_WITH]->(g)
WHERE g IN places AND coalesce(own.venue, v.name) = v.name
  AND coalesce(own.until, own.last, 9999) >= coalesce(v.year, date().year) - $years
RETURN reviewer
