// Drops a projection, if it is there.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   name STRING: of what was dropped
CALL gds.graph.drop($graph, false) YIELD graphName
RETURN graphName AS name
