// Give what authors review, bid on, submitted and have in archives to others, who they are by a curated list.
//
// What the kept author says already stays; of two places in a list of authors the first. An author
// with whom nothing else is connected is deleted.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept, which is there); in the order of the kept
//     ids
UNWIND $authors AS row
MATCH (b:Author {id: row.id})
WITH b, row.author AS id
MATCH (a:Author {id: id})
CALL (a, b) {
  MATCH (b)-[old:REVIEWS_FOR]->(v)
  MERGE (a)-[new:REVIEWS_FOR]->(v)
    ON CREATE SET new = properties(old)
  SET a:Reviewer
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:SUBMITTED]->(s)
  MERGE (a)-[new:SUBMITTED]->(s)
    ON CREATE SET new = properties(old)
  SET new.position = CASE WHEN old.position < new.position THEN old.position ELSE new.position END
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:BID]->(s)
  MERGE (a)-[new:BID]->(s)
    ON CREATE SET new = properties(old)
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:DECLARED_CONFLICT]->(s)
  MERGE (a)-[new:DECLARED_CONFLICT]->(s)
    ON CREATE SET new = properties(old)
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:ASSIGNED]->(s)
  MERGE (a)-[new:ASSIGNED]->(s)
    ON CREATE SET new = properties(old)
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:WROTE_ARCHIVED]->(p)
  MERGE (a)-[new:WROTE_ARCHIVED]->(p)
    ON CREATE SET new = properties(old)
  SET new.position = CASE WHEN old.position < new.position THEN old.position ELSE new.position END
  DELETE old
}
REMOVE b:Reviewer
WITH b
CALL (b) {
  WITH * WHERE NOT EXISTS { (b)--() }
  DELETE b
}
