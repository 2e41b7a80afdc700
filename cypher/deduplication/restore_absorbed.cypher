// Make papers of their own again of those that were part of others; their records follow.
//
// A paper that a load has made anew meanwhile stays as it is.
//
// parameters:
//   $ids LIST<STRING>: ids under which merged papers were told, but for their own; in order
// returns:
//   id STRING: a paper whose record is to be written
UNWIND $ids AS id
MATCH (m:Merged {id: id})
OPTIONAL MATCH (stray:Paper {id: id})
CALL (m, stray) {
  WITH * WHERE stray IS NULL
  MATCH (m)-[into:INTO]->()
  DELETE into
  SET m = {id: m.id, draw: m.draw}
  SET m:Paper:Stub:Unsettled
  REMOVE m:Merged:Waiting
}
CALL (m, stray) {
  WITH * WHERE stray IS NOT NULL
  DETACH DELETE m
}
WITH id, stray WHERE stray.record IS NULL
RETURN id
