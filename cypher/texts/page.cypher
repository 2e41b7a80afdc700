// The texts of the next papers, by id; stubs have none.
//
// parameters:
//   $after STRING: the last id of the page before
//   $limit INTEGER: papers a page
// returns:
//   id STRING: the paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract
ORDER BY id
LIMIT $limit
