// What a paper cites, the most cited first.
//
// parameters:
//   $id STRING: the paper
//   $offset INTEGER: how many to pass over
//   $k INTEGER: how many to return at most
// returns:
//   id STRING: the other paper
//   title STRING: its title, null where only the id is known
//   year INTEGER: its year, may be null
//   citations INTEGER: how often it is cited in the graph
//   intents LIST<STRING>: why it is cited, where a source says so
//   influential BOOLEAN: whether a source calls the citation so, may be null
MATCH (:Paper {id: $id})-[cites:CITES]->(other:Paper)
WITH other, cites, COUNT { (other)<-[:CITES]-() } AS citations
ORDER BY citations DESC, other.id SKIP $offset LIMIT $k
RETURN other.id AS id, other.title AS title, other.year AS year, citations,
       coalesce(cites.intents, []) AS intents, cites.influential AS influential
