// Submissions of a venue with too few reviewers whose papers are near, the worst first.
//
// A reviewer counts for a submission if the mean cosine of the reviewer's 3 nearest papers is at
// least `min_affinity`. Conflicts are not considered. All pairs of the venue are compared: 500
// submissions and 500 reviewers take some seconds. Submissions without a vector are left out.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $space SPACE = "specter": the embedding space
//   $min_affinity FLOAT = 0.5: affinity from which a reviewer counts
//   $needed INTEGER = 3: reviewers that a submission needs
//   $k INTEGER = 20: number of submissions
// returns:
//   submission STRING: the id that the venue gave the submission
//   title STRING: its title
//   reviewers INTEGER: number of good reviewers, fewer than `needed`
//   best FLOAT: the highest affinity of a reviewer
//   topics LIST<STRING>: the topics of the submission
MATCH (v:ReviewVenue {name: $venue})
WITH v, COLLECT {
    MATCH (v)<-[:REVIEWS_FOR]-(r:Author)
    RETURN COLLECT {
      CALL (r) {
        {{include reviewing/papers_of_reviewer}}
      }
      WITH p WHERE any(x IN p[$space] WHERE x <> 0)
      RETURN p[$space]
    }
  } AS profiles
MATCH (v)<-[:SUBMITTED_TO]-(s:Submission)
WHERE s[$space] IS NOT NULL
WITH s, s[$space] AS vector, profiles
CALL (vector, profiles) {
  UNWIND profiles AS profile
  CALL (vector, profile) {
    UNWIND profile AS own
    WITH 2 * vector.similarity.cosine(vector, own) - 1 AS cosine
    ORDER BY cosine DESC LIMIT 3
    RETURN coalesce(avg(cosine), 0.0) AS affinity
  }
  RETURN count(CASE WHEN affinity >= $min_affinity THEN 1 END) AS reviewers, max(affinity) AS best
}
WITH s, reviewers, best
WHERE reviewers < $needed
RETURN s.key AS submission, s.title AS title, reviewers, best, s.topics AS topics
ORDER BY reviewers, best, submission
LIMIT $k
