// Streams the property `embedding` of a projection, one paper a row.
//
// The client of GDS would hold all vectors as Python numbers: 12 GB for a million papers.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   id STRING: the paper
//   vector LIST<FLOAT>: its embedding
CALL gds.graph.nodeProperty.stream($graph, 'embedding') YIELD nodeId, propertyValue
RETURN gds.util.asNode(nodeId).id AS id, propertyValue AS vector
