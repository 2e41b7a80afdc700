// The citations between pairs of papers, where there are any.
//
// parameters:
//   $pairs LIST<LIST<STRING>>: (citing, cited)
// returns:
//   citing STRING: the citing paper
//   cited STRING: the cited paper
//   properties MAP: those of the citation
UNWIND $pairs AS pair
MATCH (p:Paper {id: pair[0]})
MATCH (q:Paper {id: pair[1]})
MATCH (p)-[c:CITES]->(q)
RETURN p.id AS citing, q.id AS cited, properties(c) AS properties
