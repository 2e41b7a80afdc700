// Removes the state of a load of vectors, so that the next load starts again.
//
// parameters:
//   $property STRING: the name of the space
MATCH (space:EmbeddingSpace {property: $property})
REMOVE space.loading
