// Returns the titles and vectors of the papers of a request.
//
// parameters:
//   $ids LIST<STRING>: existing papers
//   $space STRING: the embedding space; null for none
// returns:
//   papers LIST<MAP>: id; title, null for a stub; vector, null if it has none
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN collect({id: id, title: paper.title, vector: paper[$space]}) AS papers
