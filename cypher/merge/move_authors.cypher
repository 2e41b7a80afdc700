// Give the papers of authors to others, who they are by a curated list.
//
// Of names and ORCIDs the last in the order of the alphabet stays, as in loading; of two places in
// a list of authors the first. An author with whom nothing else is connected is deleted.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept); in the order of the kept ids
// returns:
//   moved INTEGER: authors whose papers were given away
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
  OPTIONAL MATCH (a)-[v:WROTE]->(p)
  WITH a, p, w, v, v IS NULL OR w.position < v.position AS first,
    w.position AS position, w.affiliations AS at
  FOREACH (_ IN CASE WHEN first THEN [1] ELSE [] END |
    CREATE (a)-[:WROTE {position: position, affiliations: at}]->(p)
  )
  FOREACH (other IN CASE WHEN first AND v IS NOT NULL THEN [v] ELSE [] END | DELETE other)
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
