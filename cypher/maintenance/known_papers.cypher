// Of some ids those of papers and of parts of merged papers.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: one of them
UNWIND $ids AS id
WITH id WHERE EXISTS { (:Paper {id: id}) } OR EXISTS { (:Merged {id: id}) }
RETURN id
