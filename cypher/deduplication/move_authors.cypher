// Moves the papers of authors to the authors that replace them.
//
// Of several names and ORCIDs, the last in alphabetical order is stored, as in loading. Of two
// positions on a paper, the first is stored, with the affiliations of both. Authors without other
// relationships are deleted.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept); in the order of the kept ids
// returns:
//   moved INTEGER: authors whose papers were moved
UNWIND $authors AS row
MATCH (b:Author {id: row.id})
MERGE (a:Author {id: row.author})
  ON CREATE SET a.name = b.name
SET a.identified = true
FOREACH (_ IN CASE WHEN a.name < b.name THEN [1] ELSE [] END | SET a.name = b.name)
FOREACH (_ IN CASE WHEN coalesce(a.orcid, '') < b.orcid THEN [1] ELSE [] END |
  SET a.orcid = b.orcid
)
WITH a, b
CALL (a, b) {
  MATCH (b)-[w:WROTE]->(p:Paper)
  MERGE (a)-[v:WROTE]->(p)
    ON CREATE SET v.position = w.position
  WITH v, w, CASE WHEN w.position < v.position THEN [w, v] ELSE [v, w] END AS places
  WITH v, w, places[0].position AS position, coalesce(places[0].affiliations, []) AS first,
    coalesce(places[1].affiliations, []) AS second
  WITH v, w, position, first + [id IN second WHERE NOT id IN first] AS at
  SET v.position = position, v.affiliations = CASE WHEN at = [] THEN null ELSE at END
  DELETE w
}
CALL (b) {
  MATCH (b)-[at:AFFILIATED_WITH]->()
  DELETE at
}
CALL (b) {
  WITH * WHERE NOT EXISTS { (b)--() }
  DELETE b
}
RETURN count(*) AS moved
