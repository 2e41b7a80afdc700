// Reviewers of a venue for a submission, by the papers that are nearest to it, without conflicts.
//
// The affinity is the mean cosine of the reviewer's 3 nearest papers, as in `match score` with
// its default settings. Reviewers with a conflict of interest, certain or likely, are left out.
// The submission needs a vector: run `match score` first.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $submission STRING: the id that the venue gave the submission
//   $space SPACE = null: the embedding space, by default base or specter
//   $assignment STRING = "reviewer": the name of the assignment
//   $k INTEGER = 10: number of reviewers
//   $years INTEGER = 3: years for which common papers and affiliations are a conflict
// returns:
//   reviewer STRING: the id that the venue gave the reviewer
//   name STRING: the name
//   affinity FLOAT: the mean cosine of the 3 nearest papers, 0 without papers
//   papers LIST<STRING>: the titles of these papers, nearest first
//   cited LIST<STRING>: ids of papers of the reviewer that the submission cites, at most 5
//   shared LIST<STRING>: ids of papers that both cite, at most 5
//   assigned BOOLEAN: the reviewer is assigned to the submission
MATCH (s:Submission {id: $venue + '/' + $submission})-[:SUBMITTED_TO]->(v:ReviewVenue)
WITH s, v, s[$space] AS vector, COLLECT {
    {{include reviewing/conflicted_reviewers}}
  } AS conflicted
MATCH (v)<-[reviews:REVIEWS_FOR]-(r:Author)
WHERE vector IS NOT NULL AND NOT r IN conflicted
CALL (r, vector) {
  CALL (r) {
    {{include reviewing/papers_of_reviewer}}
  }
  WITH p, vector, p[$space] AS own
  WHERE any(x IN own WHERE x <> 0)
  WITH p, 2 * vector.similarity.cosine(vector, own) - 1 AS cosine
  ORDER BY cosine DESC, p.id LIMIT 3
  RETURN coalesce(avg(cosine), 0.0) AS affinity, collect(p) AS nearest
}
WITH s, r, reviews, affinity, nearest
ORDER BY affinity DESC, reviews.key LIMIT $k
WITH s, r, reviews, affinity, nearest, COLLECT {
    MATCH (s)-[:REFERS_TO]->(named)
    MATCH (named)-[:DESCRIBES*0..1]->(q:Paper)
    RETURN DISTINCT q
  } AS referred
RETURN reviews.key AS reviewer, r.name AS name, affinity, [p IN nearest | p.title] AS papers,
  COLLECT {
    MATCH (r)-[:WROTE]->(p:Paper)
    WHERE p IN referred
    RETURN p.id AS id ORDER BY id LIMIT 5
  } AS cited,
  COLLECT {
    MATCH (r)-[:WROTE]->(:Paper)-[:CITES]->(q)
    WHERE q IN referred
    RETURN DISTINCT q.id AS id ORDER BY id LIMIT 5
  } AS shared,
  EXISTS {
    MATCH (r)-[a:ASSIGNED]->(s) WHERE coalesce(a.name, 'reviewer') = $assignment
  } AS assigned
ORDER BY affinity DESC, reviewer
