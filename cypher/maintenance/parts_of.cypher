// What merged papers are made of, where some ids name such a paper or a part of one.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: one of them
//   paper STRING: the merged paper
//   parts LIST<STRING>: ids under which it was told, its own among them
UNWIND $ids AS id
MATCH (:Merged {id: id})-[:INTO]->(p:Paper)
RETURN id, p.id AS paper, COLLECT { MATCH (m:Merged)-[:INTO]->(p) RETURN m.id } AS parts
