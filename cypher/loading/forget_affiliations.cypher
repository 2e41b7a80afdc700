// Derives the affiliations of authors again from their papers.
//
// parameters:
//   $authors LIST<STRING>: ids, in order
UNWIND $authors AS id
MATCH (a:Author {id: id})
CALL (a) {
  MATCH (a)-[w:AFFILIATED_WITH]->(f:Affiliation)
  DELETE w
  RETURN collect(f) AS before
}
CALL (a) {
  MATCH (a)-[w:WROTE]->(p:Paper)
  UNWIND w.affiliations AS affiliation
  MATCH (f:Affiliation {id: affiliation})
  WITH a, f, min(p.year) AS first, max(p.year) AS last
  CREATE (a)-[:AFFILIATED_WITH {first: first, last: last}]->(f)
}
WITH before
UNWIND before AS f
WITH DISTINCT f
WHERE NOT (f)--()
DELETE f
