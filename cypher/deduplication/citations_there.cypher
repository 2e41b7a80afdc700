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
CALL (p, pair) {
  MATCH (q:Paper {id: pair[1]})
  MATCH (p)-[c:CITES]->(q)
  RETURN properties(c) AS properties
}
RETURN pair[0] AS citing, pair[1] AS cited, properties
