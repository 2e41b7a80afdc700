// Counts the papers of each year in the topics of a space, on the topics.
//
// parameters:
//   $space STRING: the space
MATCH (topic:Topic {space: $space})<-[:IN_TOPIC]-(paper:Paper)
WHERE paper.year IS NOT NULL
WITH topic, paper.year AS year, count(*) AS papers
ORDER BY year
WITH topic, collect(year) AS years, collect(papers) AS counts
SET topic.years = years, topic.counts = counts
