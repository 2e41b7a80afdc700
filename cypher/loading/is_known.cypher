// Whether a load has begun in this graph.
//
// parameters:
//   $load INTEGER: names the load
// returns:
//   known BOOLEAN: it has
RETURN EXISTS { (:Load {key: $load}) } AS known
