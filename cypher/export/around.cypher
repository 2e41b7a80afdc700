// Returns a paper, and the papers that are at most {{hops}} citations away from it.
//
// parameters:
//   $id STRING: the paper
// returns:
//   id STRING: a paper
MATCH (:Paper {id: $id})-[:CITES*0..{{hops}}]-(other:Paper)
RETURN DISTINCT other.id AS id
