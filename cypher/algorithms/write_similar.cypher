// Writes papers like a paper.
//
// parameters:
//   $space STRING: the space in which they are like it
//   $rows LIST<MAP>: id, near (a list of maps: id, score)
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
UNWIND row.near AS near
MATCH (other:Paper {id: near.id})
CREATE (paper)-[:SIMILAR {space: $space, score: near.score}]->(other)
