// The conflicts of interest of a reviewer and a submission, each with its path in the graph.
//
// A conflict is certain, or likely: `match conflicts` has the rules. Each paper or affiliation that
// causes a conflict has a row: certain ones first, then by kind, the newest first.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $submission STRING: the id that the venue gave the submission
//   $reviewer STRING: the id that the venue gave the reviewer
//   $years INTEGER = 3: years for which common papers and affiliations are a conflict
//   $k INTEGER = 20: number of rows
// returns:
//   kind STRING: author, coauthor, affiliation, advisor, relation or declared
//   certain BOOLEAN: false for a likely conflict
//   path LIST<STRING>: names on the path: the reviewer, a paper or an affiliation, and the author
//   paper STRING: the id of the paper on the path, null for other kinds
//   year INTEGER: of the paper, else the last one at the affiliation or of the relation; null if unknown
MATCH (s:Submission {id: $venue + '/' + $submission})-[:SUBMITTED_TO]->(v:ReviewVenue)
MATCH (v)<-[:REVIEWS_FOR {key: $reviewer}]-(r:Author)
WITH s, v, r, coalesce(v.year, date().year) - $years AS since
CALL (s, v, r, since) {
  MATCH (s)<-[:SUBMITTED]-(r)
  RETURN 'author' AS kind, coalesce(r.identified, false) AS certain, [r.name] AS path,
    null AS paper, null AS year
  UNION
  MATCH (s)<-[d:DECLARED_CONFLICT]-(r)
  RETURN 'declared' AS kind, true AS certain, [r.name, d.reason] AS path, null AS paper,
    null AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)-[:WROTE|WROTE_ARCHIVED]->(p)<-[:WROTE|WROTE_ARCHIVED]-(r)
  WHERE p.year >= since OR p.year IS NULL
  RETURN 'coauthor' AS kind,
    coalesce(r.identified AND a.identified, false) AND p.year IS NOT NULL AS certain,
    [r.name, coalesce(p.title, p.id), a.name] AS path, p.id AS paper, p.year AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:AFFILIATED_WITH]->(f)<-[own:AFFILIATED_WITH]-(r)
  WHERE (own.last >= since OR own.last IS NULL) AND (theirs.last >= since OR theirs.last IS NULL)
  RETURN 'affiliation' AS kind,
    coalesce(r.identified AND a.identified, false)
      AND own.last IS NOT NULL AND theirs.last IS NOT NULL AS certain,
    [r.name, f.name, a.name] AS path, null AS paper,
    CASE WHEN own.last < theirs.last THEN own.last ELSE theirs.last END AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)
  MATCH (r)-[reviews:REVIEWS_FOR]->(v)
  WHERE a.id = 'email:' + toLower(reviews.email) AND a <> r
  RETURN 'author' AS kind, true AS certain, [r.name, a.name] AS path, null AS paper, null AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)-[t:RELATED_TO {venue: v.name}]-(r)
  WHERE coalesce(t.until, since) >= since
  RETURN 'relation' AS kind, true AS certain, [r.name, t.relation, a.name] AS path, null AS paper,
    t.until AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:MEMBER_OF|AFFILIATED_WITH]->(f:Affiliation)
  MATCH (r)-[own:MEMBER_OF|AFFILIATED_WITH]->(g:Affiliation)
  WHERE a <> r AND coalesce(theirs.venue, v.name) = v.name AND coalesce(own.venue, v.name) = v.name
    AND coalesce(theirs.until, theirs.last, since) >= since
    AND coalesce(own.until, own.last, since) >= since
    AND (f = g AND coalesce(theirs.venue, own.venue) IS NOT NULL
      OR EXISTS { (f)-[:WITHIN {venue: v.name}]-(g) })
  RETURN 'affiliation' AS kind,
    all(each IN [[a, theirs], [r, own]] WHERE each[1].venue IS NOT NULL
      OR coalesce(each[0].identified, false) AND each[1].last IS NOT NULL) AS certain,
    [r.name, g.name, f.name, a.name] AS path, null AS paper, null AS year
  UNION
  MATCH (s)<-[:SUBMITTED]-(a:Author)-[theirs:WROTE|WROTE_ARCHIVED]->(p)
    <-[own:WROTE|WROTE_ARCHIVED]-(r)
  CALL (p) {
    MATCH (p)<-[each:WROTE|WROTE_ARCHIVED]-()
    RETURN max(each.position) AS last
  }
  WITH a, r, p, own.position = last AS advises, last, [own.position, theirs.position] AS places
  WHERE places IN [[1, last], [last, 1]]
  WITH a, r, advises, collect(DISTINCT p) AS papers
  WHERE size(papers) >= 2
  UNWIND papers AS p
  RETURN 'advisor' AS kind, false AS certain, [r.name, coalesce(p.title, p.id), a.name] AS path,
    p.id AS paper, p.year AS year
}
RETURN kind, certain, path, paper, year
ORDER BY certain DESC, kind, coalesce(year, 0) DESC, paper, path
LIMIT $k
