// The texts of some papers, by id; stubs have none.
//
// parameters:
//   $ids LIST<STRING>: the papers
// returns:
//   id STRING: the paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
UNWIND $ids AS id
MATCH (paper:Paper&!Stub {id: id})
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract
ORDER BY id
