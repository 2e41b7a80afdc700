// Estimates the memory that an algorithm needs.
//
// {{procedure}} is the algorithm, such as gds.pageRank.stream.
//
// parameters:
//   $graph STRING: the projection
//   $config MAP: what the algorithm is given
// returns:
//   bytes INTEGER: at least so many
CALL {{procedure}}.estimate($graph, $config) YIELD bytesMin
RETURN bytesMin AS bytes
