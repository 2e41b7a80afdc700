// Returns the newest papers with an abstract and authors, as submissions of an example venue.
//
// parameters:
//   $limit INTEGER: maximum papers
// returns:
//   id STRING: its id
//   title STRING: its title
//   abstract STRING: its abstract
//   authors LIST<STRING>: ids of authors, in order
//   references LIST<STRING>: ids of the cited papers
//   topics LIST<STRING>: fields
MATCH (p:Paper&!Stub)
WHERE p.title IS NOT NULL AND p.abstract IS NOT NULL AND EXISTS { (:Author)-[:WROTE]->(p) }
WITH p ORDER BY coalesce(p.year, 0) DESC, p.id LIMIT $limit
RETURN p.id AS id, p.title AS title, p.abstract AS abstract,
  COLLECT { MATCH (a:Author)-[w:WROTE]->(p) RETURN a.id ORDER BY w.position } AS authors,
  COLLECT { MATCH (p)-[:CITES]->(cited) RETURN cited.id ORDER BY cited.id } AS references,
  COLLECT { MATCH (p)-[:ABOUT]->(f) RETURN coalesce(f.name, f.id) AS name ORDER BY name } AS topics
