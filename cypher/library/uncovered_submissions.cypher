// Submissions of a venue with too few reviewers of a sufficient affinity, the worst first.
//
// The affinities are those of the last `match score`, `match assign` or `match reassign`, with
// its settings: the venue stores the 20 highest of each submission. Conflicts are not considered.
// Submissions without a current affinity come first, with `reviewers` null: those whose text is new
// since the last scoring, and all of them if reviewers, their papers or the vectors of these have
// changed since. Run `match score` again for them.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $min_affinity FLOAT = 0.5: affinity from which a reviewer counts
//   $needed INTEGER = 3: reviewers that a submission needs, at most 20
//   $k INTEGER = 20: number of submissions
// returns:
//   submission STRING: the id that the venue gave the submission
//   title STRING: its title
//   reviewers INTEGER: number of good reviewers, fewer than `needed`; null if not scored
//   best FLOAT: the highest affinity of a reviewer; null if not scored
//   topics LIST<STRING>: the topics of the submission
MATCH (v:ReviewVenue {name: $venue})
CALL (v) {
  {{include reviewing/is_scoring_current}}
}
MATCH (v)<-[:SUBMITTED_TO]-(s:Submission)
WITH s, CASE WHEN is_current THEN s.best_affinities END AS affinities
WITH s, affinities, size([affinity IN affinities WHERE affinity >= $min_affinity]) AS reviewers
WHERE affinities IS NULL OR reviewers < $needed
RETURN s.key AS submission, s.title AS title, reviewers, affinities[0] AS best, s.topics AS topics
ORDER BY coalesce(reviewers, -1), coalesce(best, -1), submission
LIMIT $k
