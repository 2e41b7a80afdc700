// Projects all papers, stubs among them, and their citations.
//
// parameters:
//   $graph STRING: the name of the projection
//   $undirected LIST<STRING>: ['*'] for citations in both directions, else empty
// returns:
//   papers INTEGER: how many; null where there is none
CALL () {
  MATCH (paper:Paper)
  RETURN paper AS citing, null AS cited ORDER BY paper.id
  UNION ALL
  MATCH (citing:Paper)-[:CITES]->(cited:Paper)
  RETURN citing, cited
}
WITH gds.graph.project(
  $graph, citing, cited, {}, {undirectedRelationshipTypes: $undirected}
) AS projection
RETURN projection.nodeCount AS papers
