// Returns the papers with the most citations in the graph, without those that no paper cites.
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
WITH p, COUNT { (p)<-[:CITES]-() } AS citations
ORDER BY citations DESC, p.id LIMIT $k
WHERE citations > 0
RETURN p.id AS id, p.title AS title, p.year AS year, citations
