// Papers one citation away from some, in either direction, the most cited first.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $known LIST<STRING>: papers that are not wanted
//   $k INTEGER: how many to return at most
// returns:
//   id STRING: a paper with a record
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:CITES]-(near:Paper&!Stub)
WHERE NOT near.id IN $known
WITH DISTINCT near
RETURN near.id AS id
ORDER BY COUNT { (near)<-[:CITES]-() } DESC, id LIMIT $k
