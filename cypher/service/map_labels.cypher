// Returns the years, fields and topics of papers, by which a map colors its points.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $space STRING: the space of the topics
// returns:
//   id STRING: a paper
//   year INTEGER: its year, may be null
//   fields LIST<STRING>: the names of its fields
//   topics LIST<LIST<STRING>>: the ids and names of its topics in the space
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.year AS year,
       [(paper)-[:ABOUT]->(field:Field) | coalesce(field.name, field.id)] AS fields,
       [(paper)-[:IN_TOPIC]->(topic:Topic {space: $space}) | [topic.id, topic.name]]
         AS topics
