// Counts the years, venues, topics and authors of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $space STRING: the space of the topics
//   $k INTEGER: maximum number of values of each kind
// returns:
//   years LIST<MAP>: value and count of the years, the newest first
//   venues LIST<MAP>: value (a name) and count, the most frequent first
//   topics LIST<MAP>: value (an id), name and count, the most frequent first
//   authors LIST<MAP>: value (a name) and count, the most frequent first
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH collect(paper) AS papers
RETURN COLLECT {
         UNWIND papers AS paper
         WITH paper.year AS value, count(*) AS count WHERE value IS NOT NULL
         ORDER BY value DESC LIMIT $k
         RETURN {value: value, count: count}
       } AS years,
       COLLECT {
         UNWIND papers AS paper
         MATCH (paper)-[:PUBLISHED_IN]->(venue)
         WITH coalesce(venue.name, venue.id) AS value, count(DISTINCT paper) AS count
         ORDER BY count DESC, value LIMIT $k
         RETURN {value: value, count: count}
       } AS venues,
       COLLECT {
         UNWIND papers AS paper
         MATCH (paper)-[:IN_TOPIC]->(topic:Topic {space: $space})
         WITH topic, count(DISTINCT paper) AS count
         ORDER BY count DESC, topic.id LIMIT $k
         RETURN {value: topic.id, name: topic.name, count: count}
       } AS topics,
       COLLECT {
         UNWIND papers AS paper
         MATCH (paper)<-[:WROTE]-(author:Author)
         WHERE author.name IS NOT NULL
         WITH author.name AS value, count(DISTINCT paper) AS count
         ORDER BY count DESC, value LIMIT $k
         RETURN {value: value, count: count}
       } AS authors
