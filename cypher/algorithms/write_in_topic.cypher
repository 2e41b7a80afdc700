// Connects papers with their topics.
//
// parameters:
//   $rows LIST<MAP>: id, topic (its id), score
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
MATCH (topic:Topic {id: row.topic})
CREATE (paper)-[:IN_TOPIC {score: row.score}]->(topic)
