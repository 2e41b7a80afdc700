// Stores vectors on papers or submissions, with the hashes of their texts.
//
// {{label}} is Paper, ArchivePaper or Submission. The procedure stores four bytes per
// number; a list of floats would take eight.
//
// parameters:
//   $space STRING: the name of the space
//   $rows LIST<MAP>: id, vector (a list of floats), mark (a map from the hash's property to it)
UNWIND $rows AS row
MATCH (text:{{label}} {id: row.id})
SET text += row.mark
WITH text, row
CALL db.create.setNodeVectorProperty(text, $space, row.vector)
