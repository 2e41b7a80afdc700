// Returns the papers of an author, the newest first.
//
// parameters:
//   $id STRING: the author
//   $offset INTEGER: number of papers to skip
//   $k INTEGER: maximum number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year, may be null
//   citations INTEGER: number of papers in the graph that cite it
MATCH (:Author {id: $id})-[:WROTE]->(paper:Paper)
WITH DISTINCT paper
ORDER BY coalesce(paper.year, 0) DESC, paper.id SKIP $offset LIMIT $k
RETURN paper.id AS id, paper.title AS title, paper.year AS year,
       COUNT { (paper)<-[:CITES]-() } AS citations
