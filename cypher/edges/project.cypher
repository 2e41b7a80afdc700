// Projects the citations among papers that are neither held out nor stubs, undirected.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   relationships INTEGER: how many, both directions counted; null where there is none
MATCH (citing:Paper&!Stub&!Test&!Validation)-[:CITES]->(cited:Paper&!Stub&!Test&!Validation)
WITH gds.graph.project(
  $graph, citing, cited, {}, {undirectedRelationshipTypes: ['*']}
) AS projection
RETURN projection.relationshipCount AS relationships
