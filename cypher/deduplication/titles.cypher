// Returns the titles, years and first authors of all papers that are not combined.
//
// returns:
//   id STRING: the paper
//   title STRING: its title
//   year INTEGER: its year
//   author STRING: the name of its first author
MATCH (p:Paper&!Stub)
WHERE p.year IS NOT NULL AND NOT EXISTS { (p)<-[:DESCRIBES]-() }
MATCH (p)<-[w:WROTE]-(a:Author)
WHERE w.position = 1
RETURN p.id AS id, p.title AS title, p.year AS year, a.name AS author
