// Returns papers that cite given papers or are cited by them, the most cited first.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $known LIST<STRING>: papers to exclude
//   $k INTEGER: maximum number of papers
// returns:
//   id STRING: a paper with a record
UNWIND $ids AS id
MATCH (:Paper {id: id})-[:CITES]-(near:Paper&!Stub)
WHERE NOT near.id IN $known
WITH DISTINCT near
RETURN near.id AS id
ORDER BY COUNT { (near)<-[:CITES]-() } DESC, id LIMIT $k
