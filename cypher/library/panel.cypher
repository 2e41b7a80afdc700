// Panels of three reviewers who together cover the topics of a submission.
//
// A reviewer covers a topic if a paper of the reviewer has it as a field or, in an archive, as a
// topic. The panels are chosen among the reviewers without conflict whose papers are nearest: first
// by the number of covered topics, then by the mean affinity.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $submission STRING: the id that the venue gave the submission
//   $space SPACE = null: the embedding space, by default base or specter
//   $candidates INTEGER = 12: number of the nearest reviewers to choose from
//   $k INTEGER = 3: number of panels
//   $years INTEGER = 3: years for which common papers and affiliations are a conflict
// returns:
//   reviewers LIST<STRING>: the ids that the venue gave the three reviewers
//   names LIST<STRING>: their names
//   affinity FLOAT: the mean of their affinities
//   covered LIST<STRING>: the topics of the submission that they cover
//   uncovered LIST<STRING>: its other topics
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
  RETURN coalesce(avg(cosine), 0.0) AS affinity
}
WITH s, r, reviews, affinity ORDER BY affinity DESC, reviews.key LIMIT $candidates
WITH s, r, reviews, affinity, COLLECT {
    MATCH (r)-[:WROTE]->(:Paper)-[:ABOUT]->(f:Field)
    RETURN DISTINCT toLower(coalesce(f.name, f.id)) AS topic
    UNION
    MATCH (r)-[:WROTE_ARCHIVED]->(p:ArchivePaper)
    UNWIND p.topics AS word
    RETURN DISTINCT toLower(word) AS topic
  } AS fields
WITH s, collect({
    key: reviews.key, name: r.name, affinity: affinity,
    topics: [topic IN coalesce(s.topics, []) WHERE toLower(topic) IN fields]
  }) AS found
UNWIND range(0, size(found) - 3) AS first
UNWIND range(first + 1, size(found) - 2) AS second
UNWIND range(second + 1, size(found) - 1) AS third
WITH s, [found[first], found[second], found[third]] AS members
WITH members, [topic IN coalesce(s.topics, []) WHERE any(m IN members WHERE topic IN m.topics)]
    AS covered, coalesce(s.topics, []) AS topics,
  reduce(total = 0.0, m IN members | total + m.affinity) / 3 AS affinity
RETURN [m IN members | m.key] AS reviewers, [m IN members | m.name] AS names, affinity, covered,
  [topic IN topics WHERE NOT topic IN covered] AS uncovered
ORDER BY size(covered) DESC, affinity DESC, reviewers
LIMIT $k
