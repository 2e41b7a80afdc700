// How often papers are cited.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $held_out INTEGER: citations of papers with a smaller draw do not count in training
//   $passed LIST<STRING>: papers whose citations do not count in training
// returns:
//   papers LIST<STRING>: ids
//   citations LIST<INTEGER>: how often each is cited
UNWIND $ids AS id
MATCH (near:Paper {id: id})
RETURN collect(id) AS papers, collect({{counted}}) AS citations
