// Returns the papers that a paper cites, or that cite it, the most cited first.
//
// parameters:
//   $id STRING: the paper
//   $kind STRING: "references" or "citations"
//   $offset INTEGER: number of papers to skip
//   $k INTEGER: maximum number of papers
//   $space STRING: the space of the topics
// returns:
//   id STRING: the other paper
//   title STRING: its title, null for a stub
//   year INTEGER: its year, may be null
//   citations INTEGER: number of papers in the graph that cite it
//   intents LIST<STRING>: intents of the citation, if a source gives them
//   contexts LIST<STRING>: the texts around the citation, if a source gives them
//   topic STRING: the name of the topic of the other paper, null without one
//   influential BOOLEAN: true if a source classifies the citation as influential, may be null
MATCH (paper:Paper {id: $id})
CALL (paper) {
  WITH paper WHERE $kind = 'references'
  MATCH (paper)-[cites:CITES]->(other)
  RETURN cites, other
  UNION ALL
  WITH paper WHERE $kind = 'citations'
  MATCH (paper)<-[cites:CITES]-(other)
  RETURN cites, other
}
WITH other, cites, COUNT { (other)<-[:CITES]-() } AS citations
ORDER BY citations DESC, other.id SKIP $offset LIMIT $k
RETURN other.id AS id, other.title AS title, other.year AS year, citations,
       coalesce(cites.intents, []) AS intents,
       coalesce(cites.contexts, []) AS contexts, cites.influential AS influential,
       [(other)-[:IN_TOPIC]->(topic:Topic {space: $space}) | topic.name][0] AS topic
