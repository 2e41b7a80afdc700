// Deletes the record of an embedding space.
//
// parameters:
//   $property STRING: the name of the space
MATCH (record:EmbeddingSpace {property: $property})
DELETE record
