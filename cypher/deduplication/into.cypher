// Of some ids those that are told of a merged paper, its own among them.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
// returns:
//   id STRING: one of them
//   paper STRING: the id of the paper that it is part of
UNWIND $ids AS id
MATCH (m:Merged {id: id})-[:INTO]->(p:Paper)
RETURN m.id AS id, p.id AS paper
