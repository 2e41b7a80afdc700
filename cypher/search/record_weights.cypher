// Records what each signal of hybrid search weighs with a space, in place of what was recorded.
//
// parameters:
//   $space STRING: the name of the space
//   $properties MAP: the fields of Weights
MERGE (weights:SearchWeights {space: $space})
SET weights = $properties
