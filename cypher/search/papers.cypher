// Papers as they are shown, and what else a search asks of its few.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   abstract STRING: its abstract, may be null
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title, paper.year AS year, paper.abstract AS abstract
