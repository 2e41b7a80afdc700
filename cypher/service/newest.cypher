// Returns the newest papers.
//
// parameters:
//   $k INTEGER: maximum number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year, may be null
//   citations INTEGER: number of papers in the graph that cite it
MATCH (p:Paper&!Stub)
WHERE p.title IS NOT NULL
WITH p ORDER BY coalesce(p.year, 0) DESC, p.published IS NOT NULL DESC, p.published DESC, p.id
LIMIT $k
RETURN p.id AS id, p.title AS title, p.year AS year, COUNT { (p)<-[:CITES]-() } AS citations
