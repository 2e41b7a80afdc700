// Trains a GraphSAGE model, which the server holds until it is dropped.
//
// parameters:
//   $graph STRING: the projection
//   $config MAP: what the algorithm is given
// returns:
//   epochs INTEGER: how many it ran
CALL gds.beta.graphSage.train($graph, $config) YIELD modelInfo
RETURN modelInfo.metrics.ranEpochs AS epochs
