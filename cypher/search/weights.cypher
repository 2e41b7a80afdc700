// What each signal of hybrid search weighs with a space; no row where nothing was learnt.
//
// parameters:
//   $space STRING: the name of the space
// returns:
//   weights MAP: the fields of Weights
MATCH (weights:SearchWeights {space: $space})
RETURN properties(weights) AS weights
