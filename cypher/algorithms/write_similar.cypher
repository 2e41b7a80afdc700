// Writes relationships between similar papers.
//
// parameters:
//   $space STRING: the space in which they are similar
//   $rows LIST<LIST<ANY>>: id of the paper, id of the other, score
UNWIND $rows AS row
MATCH (paper:Paper {id: row[0]})
MATCH (other:Paper {id: row[1]})
CREATE (paper)-[:SIMILAR {space: $space, score: row[2]}]->(other)
