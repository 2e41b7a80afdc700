// Moves reviewing roles, bids, submissions, archives and what venues declare of authors to their
// replacements.
//
// Existing data of the kept author remain; of two positions on a submission, the first is stored.
// A relation between two authors who become one is deleted.
// Authors without other relationships are deleted.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept, which exists); ordered by it
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
  MERGE (a)-[new:ASSIGNED {name: coalesce(old.name, 'reviewer')}]->(s)
    ON CREATE SET new.affinity = old.affinity, new.locked = old.locked
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:WROTE_ARCHIVED]->(p)
  MERGE (a)-[new:WROTE_ARCHIVED]->(p)
    ON CREATE SET new = properties(old)
  SET new.position = CASE WHEN old.position < new.position THEN old.position ELSE new.position END
  DELETE old
}
CALL (a, b) {
  MATCH (b)-[old:MEMBER_OF]->(f)
  WHERE NOT EXISTS {
    MATCH (a)-[same:MEMBER_OF]->(f) WHERE properties(same) = properties(old)
  }
  CREATE (a)-[new:MEMBER_OF]->(f)
  SET new = properties(old)
}
CALL (a, b) {
  MATCH (b)-[old:RELATED_TO]->(other)
  WHERE other <> a AND NOT EXISTS {
    MATCH (a)-[same:RELATED_TO]->(other) WHERE properties(same) = properties(old)
  }
  CREATE (a)-[new:RELATED_TO]->(other)
  SET new = properties(old)
}
CALL (a, b) {
  MATCH (b)<-[old:RELATED_TO]-(other)
  WHERE other <> a AND NOT EXISTS {
    MATCH (a)<-[same:RELATED_TO]-(other) WHERE properties(same) = properties(old)
  }
  CREATE (a)<-[new:RELATED_TO]-(other)
  SET new = properties(old)
}
CALL (b) {
  MATCH (b)-[old:MEMBER_OF|RELATED_TO]-()
  DELETE old
}
REMOVE b:Reviewer
WITH b
CALL (b) {
  WITH * WHERE NOT EXISTS { (b)--() }
  DELETE b
}
