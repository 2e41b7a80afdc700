// Projects all papers, including stubs, and their citations.
//
// parameters:
//   $graph STRING: the name of the projection
//   $undirected LIST<STRING>: ['*'] for citations in both directions, else empty
// returns:
//   projection MAP: the description that the client of GDS reads; null if nothing matches
CALL () {
  MATCH (paper:Paper)
  RETURN paper AS citing, null AS cited ORDER BY paper.id
  UNION ALL
  MATCH (citing:Paper)-[:CITES]->(cited:Paper)
  RETURN citing, cited
}
RETURN gds.graph.project(
  $graph, citing, cited, {}, {undirectedRelationshipTypes: $undirected}
) AS projection
