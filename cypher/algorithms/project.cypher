// Projects the citations among papers that are neither held out nor stubs, undirected.
//
// parameters:
//   $graph STRING: the name of the projection
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   relationships INTEGER: how many, both directions counted; null where there is none
MATCH (citing:Paper&!Stub)-[:CITES]->(cited:Paper&!Stub)
WHERE citing.draw >= $held_out AND cited.draw >= $held_out
WITH gds.graph.project(
  $graph, citing, cited, {}, {undirectedRelationshipTypes: ['*']}
) AS projection
RETURN projection.relationshipCount AS relationships
