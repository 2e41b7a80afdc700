// Reviewers of a venue for a text, by the papers that are nearest to it.
//
// The affinity is the mean cosine of the reviewer's 3 nearest papers, as in `match score` with
// its default settings. The authors of the text are unknown, so conflicts are not considered.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $text TEXT: a title and an abstract, or a subject
//   $space SPACE = null: the embedding space, by default base or specter
//   $assignment STRING = "reviewer": the name of the assignment
//   $k INTEGER = 10: number of reviewers
// returns:
//   reviewer STRING: the id that the venue gave the reviewer
//   name STRING: the name
//   affinity FLOAT: the mean cosine of the 3 nearest papers, 0 without papers
//   papers LIST<STRING>: the titles of these papers, nearest first
//   load INTEGER: the number of submissions assigned to the reviewer
MATCH (v:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(r:Author)
CALL (r) {
  CALL (r) {
    {{include reviewing/papers_of_reviewer}}
  }
  WITH p, p[$space] AS own
  WHERE any(x IN own WHERE x <> 0)
  WITH p, 2 * vector.similarity.cosine($vector, own) - 1 AS cosine
  ORDER BY cosine DESC, p.id LIMIT 3
  RETURN coalesce(avg(cosine), 0.0) AS affinity, collect(p) AS nearest
}
WITH v, r, reviews, affinity, nearest
ORDER BY affinity DESC, reviews.key LIMIT $k
RETURN reviews.key AS reviewer, r.name AS name, affinity, [p IN nearest | p.title] AS papers,
  COUNT {
    MATCH (r)-[a:ASSIGNED]->(:Submission)-[:SUBMITTED_TO]->(v)
    WHERE coalesce(a.name, 'reviewer') = $assignment
  } AS load
ORDER BY affinity DESC, reviewer
