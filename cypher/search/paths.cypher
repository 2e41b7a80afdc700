// One citation path from a seed to a paper, for each signal that found the paper.
//
// parameters:
//   $pairs LIST<MAP>: id, signal (cited, cocited or coupled, perhaps after own_), seeds LIST<STRING>
//     (papers, the one that counts most first)
//   $passed LIST<STRING>: papers that no path goes through
// returns:
//   id STRING: the paper
//   signal STRING: the signal
//   path LIST<STRING>: ids from the seed to the paper; of three the one in the middle is the third
UNWIND $pairs AS pair
MATCH (near:Paper {id: pair.id})
CALL (near, pair) {
  WITH near, pair WHERE pair.signal = 'cited'
  UNWIND pair.seeds AS id
  MATCH (seed:Paper {id: id})-[:CITES]->(near)
  RETURN [id, near.id] AS path LIMIT 1
  UNION ALL
  WITH near, pair WHERE pair.signal ENDS WITH 'cocited'
  UNWIND pair.seeds AS id
  MATCH (seed:Paper {id: id})<-[:CITES]-(third:Paper)-[:CITES]->(near)
  WHERE seed <> near AND NOT third.id IN $passed
  RETURN [id, third.id, near.id] AS path LIMIT 1
  UNION ALL
  WITH near, pair WHERE pair.signal ENDS WITH 'coupled'
  UNWIND pair.seeds AS id
  MATCH (seed:Paper {id: id})-[:CITES]->(third:Paper)<-[:CITES]-(near)
  WHERE seed <> near AND NOT third.id IN $passed
  RETURN [id, third.id, near.id] AS path LIMIT 1
}
RETURN pair.id AS id, pair.signal AS signal, path
