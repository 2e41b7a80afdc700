// Runs an algorithm that finds for each paper those like it.
//
// {{procedure}} is the algorithm, gds.knn.stream or gds.nodeSimilarity.stream.
//
// parameters:
//   $graph STRING: the projection
//   $config MAP: what the algorithm is given
// returns:
//   id STRING: the paper
//   other STRING: a paper like it
//   score FLOAT: how like, as the algorithm measures it
CALL {{procedure}}($graph, $config) YIELD node1, node2, similarity
RETURN gds.util.asNode(node1).id AS id, gds.util.asNode(node2).id AS other, similarity AS score
