// The topics of the submissions of a venue, with the reviewers who know them and their loads.
//
// A reviewer knows a topic if a paper of the reviewer has it as a field or, in an archive, as a
// topic. The topics with the fewest such reviewers per submission come first.
//
// purpose: match
// parameters:
//   $venue STRING: the venue
//   $assignment STRING = "reviewer": the name of the assignment
//   $k INTEGER = 50: number of topics
// returns:
//   topic STRING: a topic of submissions
//   submissions INTEGER: number of submissions that have it
//   reviews INTEGER: number of assigned reviews of these submissions
//   affinity FLOAT: the mean affinity of these reviews, null without any
//   reviewers INTEGER: number of reviewers that know the topic
//   load INTEGER: number of reviews assigned to these reviewers, on all topics
MATCH (v:ReviewVenue {name: $venue})
WITH v, COLLECT {
    MATCH (v)<-[:REVIEWS_FOR]-(r:Author)
    RETURN {
      load: COUNT {
        MATCH (r)-[a:ASSIGNED]->(:Submission)-[:SUBMITTED_TO]->(v)
        WHERE coalesce(a.name, 'reviewer') = $assignment
      },
      topics: COLLECT {
        MATCH (r)-[:WROTE]->(:Paper)-[:ABOUT]->(f:Field)
        RETURN DISTINCT toLower(coalesce(f.name, f.id)) AS topic
        UNION
        MATCH (r)-[:WROTE_ARCHIVED]->(p:ArchivePaper)
        UNWIND p.topics AS word
        RETURN DISTINCT toLower(word) AS topic
      }
    }
  } AS people
MATCH (v)<-[:SUBMITTED_TO]-(s:Submission)
UNWIND s.topics AS topic
WITH people, topic, s, COLLECT {
    MATCH (s)<-[a:ASSIGNED]-()
    WHERE coalesce(a.name, 'reviewer') = $assignment
    RETURN a.affinity
  } AS affinities
WITH people, topic, count(s) AS submissions, sum(size(affinities)) AS reviews,
  sum(reduce(total = 0.0, each IN affinities | total + each)) AS total
WITH topic, submissions, reviews, total,
  [person IN people WHERE toLower(topic) IN person.topics | person.load] AS loads
RETURN topic, submissions, reviews,
  CASE WHEN reviews > 0 THEN total / reviews END AS affinity, size(loads) AS reviewers,
  reduce(total = 0, each IN loads | total + each) AS load
ORDER BY toFloat(size(loads)) / submissions, topic
LIMIT $k
