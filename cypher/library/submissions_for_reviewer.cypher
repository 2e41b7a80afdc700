// Submissions of a venue for a reviewer, nearest to the reviewer's papers first, without conflicts.
//
// The affinity is the mean cosine of the reviewer's 3 papers nearest to the submission, as in
// `match score` with its default settings. Submissions with which the reviewer has a conflict of
// interest, certain or likely, are left out, and so are submissions without a vector.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $reviewer STRING: the id that the venue gave the reviewer
//   $space SPACE = null: the embedding space, by default base or specter
//   $assignment STRING = "reviewer": the name of the assignment
//   $k INTEGER = 10: number of submissions
//   $years INTEGER = 3: years for which common papers and affiliations are a conflict
// returns:
//   submission STRING: the id that the venue gave the submission
//   title STRING: its title
//   affinity FLOAT: the mean cosine of the reviewer's 3 nearest papers, 0 without papers
//   nearest STRING: the title of the reviewer's nearest paper, null without papers
//   bid FLOAT: the bid of the reviewer, -1 to 1, null without one
//   assigned BOOLEAN: the reviewer is assigned to the submission
MATCH (v:ReviewVenue {name: $venue})<-[:REVIEWS_FOR {key: $reviewer}]-(r:Author)
WITH v, r, COLLECT {
    CALL (r) {
      {{include reviewing/papers_of_reviewer}}
    }
    WITH p WHERE any(x IN p[$space] WHERE x <> 0)
    RETURN {id: p.id, title: p.title, vector: p[$space]}
  } AS profile
MATCH (v)<-[:SUBMITTED_TO]-(s:Submission)
WHERE s[$space] IS NOT NULL
WITH v, r, s, s[$space] AS vector, profile
CALL (vector, profile) {
  UNWIND profile AS paper
  WITH paper, 2 * vector.similarity.cosine(vector, paper.vector) - 1 AS cosine
  ORDER BY cosine DESC, paper.id LIMIT 3
  RETURN coalesce(avg(cosine), 0.0) AS affinity, collect(paper.title)[0] AS nearest
}
WITH v, r, s, affinity, nearest ORDER BY affinity DESC, s.key
WHERE NOT r IN COLLECT {
    {{include reviewing/conflicted_reviewers}}
  }
WITH r, s, affinity, nearest LIMIT $k
RETURN s.key AS submission, s.title AS title, affinity, nearest,
  head(COLLECT { MATCH (r)-[b:BID]->(s) RETURN b.value }) AS bid,
  EXISTS {
    MATCH (r)-[a:ASSIGNED]->(s) WHERE coalesce(a.name, 'reviewer') = $assignment
  } AS assigned
ORDER BY affinity DESC, submission
