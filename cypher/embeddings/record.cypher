// Stores the record of an embedding space.
//
// parameters:
//   $property STRING: the name of the space
//   $properties MAP: the fields of EmbeddingSpace
MERGE (space:EmbeddingSpace {property: $property})
SET space = $properties
