// Lists the topics, the largest of each space first.
//
// parameters:
//   $space STRING: the space of the topics; null for all spaces
// returns:
//   topic MAP: the fields of Topic
MATCH (topic:Topic)
WHERE $space IS NULL OR topic.space = $space
RETURN properties(topic) AS topic
ORDER BY topic.space, topic.size DESC, topic.id
