// Runs an algorithm that gives each paper a value.
//
// {{procedure}} is the algorithm, such as gds.pageRank.stream, {{column}} its column of values.
//
// parameters:
//   $graph STRING: the projection
//   $config MAP: what the algorithm is given
// returns:
//   id STRING: the paper
//   value ANY: its rank, its community or its vector
CALL {{procedure}}($graph, $config) YIELD nodeId, {{column}}
RETURN gds.util.asNode(nodeId).id AS id, {{column}} AS value
