// The papers of an author, the newest first.
//
// parameters:
//   $id STRING: the author
//   $offset INTEGER: how many to pass over
//   $k INTEGER: how many to return at most
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year, may be null
//   citations INTEGER: how often it is cited in the graph
MATCH (:Author {id: $id})-[:WROTE]->(paper:Paper)
WITH DISTINCT paper
ORDER BY coalesce(paper.year, 0) DESC, paper.id SKIP $offset LIMIT $k
RETURN paper.id AS id, paper.title AS title, paper.year AS year,
       COUNT { (paper)<-[:CITES]-() } AS citations
