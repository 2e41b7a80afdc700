// Stores vectors on papers that have a record.
//
// parameters:
//   $space STRING: the name of the space
//   $rows LIST<LIST>: the id of a paper and its vector (a list of floats)
// returns:
//   ids LIST<STRING>: the ids that are in the graph
UNWIND $rows AS row
MATCH (paper:Paper&!Stub {id: row[0]})
CALL db.create.setNodeVectorProperty(paper, $space, row[1])
RETURN collect(row[0]) AS ids
