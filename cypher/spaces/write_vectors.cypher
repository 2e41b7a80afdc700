// Stores vectors on papers, with the hashes of the texts that they were made from.
//
// The procedure keeps four bytes a number where a list of floats would take eight.
//
// parameters:
//   $space STRING: the name of the space
//   $rows LIST<MAP>: id, vector (a list of floats), mark (a map from the hash's property to it)
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper += row.mark
WITH paper, row
CALL db.create.setNodeVectorProperty(paper, $space, row.vector)
