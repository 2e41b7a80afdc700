// Returns whether a load has begun in this graph.
//
// parameters:
//   $load INTEGER: identifies the load
// returns:
//   known BOOLEAN: true if it has
RETURN EXISTS { (:Load {key: $load}) } AS known
