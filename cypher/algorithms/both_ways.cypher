// Adds to a projection the relationships MUTUAL: those of NEAR, in both directions.
//
// parameters:
//   $graph STRING: the projection
// returns:
//   pairs INTEGER: how many
CALL gds.graph.relationships.toUndirected($graph, {
  relationshipType: 'NEAR', mutateRelationshipType: 'MUTUAL', aggregation: 'MAX'
}) YIELD relationshipsWritten
RETURN relationshipsWritten AS pairs
