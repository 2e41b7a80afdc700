// Estimates the memory of a projection of all papers and citations, in both directions.
//
// parameters:
//   $dimension INTEGER: the length of the vectors on the papers, 0 for none
// returns:
//   bytes INTEGER: at least so many
CALL () {
  MATCH (paper:Paper)
  RETURN count(paper) AS papers
}
CALL () {
  MATCH ()-[citation:CITES]->()
  RETURN count(citation) AS citations
}
CALL gds.graph.project.estimate('*', '*', {
  nodeCount: papers, relationshipCount: 2 * citations
}) YIELD bytesMin
RETURN bytesMin + 4 * $dimension * papers AS bytes
