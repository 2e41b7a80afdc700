// Returns the newest papers that have a year.
//
// The index over years orders them, so that only papers of the last years are read.
//
// parameters:
//   $k INTEGER: maximum number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   citations INTEGER: number of papers in the graph that cite it
MATCH (p:Paper)
WHERE p.year IS NOT NULL AND p.title IS NOT NULL AND NOT p:Stub
WITH p ORDER BY p.year DESC, p.published IS NOT NULL DESC, p.published DESC, p.id
LIMIT $k
RETURN p.id AS id, p.title AS title, p.year AS year, COUNT { (p)<-[:CITES]-() } AS citations
