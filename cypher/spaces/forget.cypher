// Deletes the record of an embedding space.
//
// parameters:
//   $property STRING: the name of the space
MATCH (space:EmbeddingSpace {property: $property})
DELETE space
