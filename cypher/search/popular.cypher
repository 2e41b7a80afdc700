// How often papers are cited.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $passed LIST<STRING>: papers whose citations do not count in training
// returns:
//   papers LIST<STRING>: ids
//   citations LIST<INTEGER>: how often each is cited
UNWIND $ids AS id
MATCH (near:Paper {id: id})
RETURN collect(id) AS papers, collect({{counted}}) AS citations
