// Conflicts of interest: the reviewer and an author of the submission shared an affiliation recently.
//
// The years of an affiliation are the years of the papers that name it. An affiliation without a
// year counts, and makes the conflict uncertain. A large institution has many more authors than the
// venue has reviewers, so the statement joins authors and reviewers at the institution.
//
// parameters:
//   $venue STRING: the venue
//   $submissions LIST<STRING>: ids
//   $since INTEGER: the first year that counts
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of the submission
//   author STRING: the name of the author
//   affiliation STRING: the name of the affiliation
//   reviewer_last INTEGER: the last year of the reviewer there; may be null
//   author_last INTEGER: the last year of the author there; may be null
//   certain BOOLEAN: true if both years are known and both authors are identified
MATCH (s:Submission)<-[:SUBMITTED]-(a:Author)-[theirs:AFFILIATED_WITH]->(f:Affiliation),
  (f)<-[own:AFFILIATED_WITH]-(r:Reviewer)-[reviews:REVIEWS_FOR]->(:ReviewVenue {name: $venue})
USING JOIN ON f
WHERE s.id IN $submissions AND r <> a
  AND (own.last >= $since OR own.last IS NULL) AND (theirs.last >= $since OR theirs.last IS NULL)
WITH s, a, f, own, theirs, reviews,
  coalesce(r.identified AND a.identified, false)
    AND own.last IS NOT NULL AND theirs.last IS NOT NULL AS certain
ORDER BY certain DESC, coalesce(own.last, 0) + coalesce(theirs.last, 0) DESC, f.id, a.id
WITH reviews.key AS reviewer, s.key AS submission, collect({
    author: a.name, affiliation: f.name, reviewer_last: own.last, author_last: theirs.last,
    certain: certain
  })[0] AS best
RETURN reviewer, submission, best.author AS author, best.affiliation AS affiliation,
  best.reviewer_last AS reviewer_last, best.author_last AS author_last, best.certain AS certain
