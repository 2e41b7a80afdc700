// Stores the state of a load of vectors. The record of the space, written at the end, replaces it.
//
// parameters:
//   $property STRING: the name of the space
//   $state STRING: the state as JSON text
MERGE (space:EmbeddingSpace {property: $property})
SET space.loading = $state
