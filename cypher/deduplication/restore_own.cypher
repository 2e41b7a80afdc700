// Make merged papers say only what was told under their own ids; their records follow.
//
// parameters:
//   $ids LIST<STRING>: the papers, in order
UNWIND $ids AS id
MATCH (m:Merged {id: id})
WITH m, m.draw AS draw, id
DETACH DELETE m
WITH draw, id
MATCH (p:Paper {id: id})
SET p:Unsettled, p.record = 0, p.draw = draw
REMOVE p:Unwritten, p.abstract_apart
WITH p
CALL (p) {
  MATCH (p)-[r:CITES|ABOUT]->()
  DELETE r
}
