// Adds to a projection the relationships NEAR, from each paper to those nearest to it.
//
// parameters:
//   $graph STRING: the projection
//   $config MAP: what gds.knn.mutate is given
// returns:
//   pairs INTEGER: how many
CALL gds.knn.mutate($graph, $config) YIELD relationshipsWritten
RETURN relationshipsWritten AS pairs
