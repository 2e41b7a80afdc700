// Stores the record of an embedding space.
//
// parameters:
//   $property STRING: the name of the space
//   $properties MAP: the fields of EmbeddingSpace; a `split` that is null becomes the stored split
MERGE (space:EmbeddingSpace {property: $property})
SET space = $properties,
  space.split = coalesce($properties.split, COLLECT { MATCH (s:Split) RETURN s.digest }[0], '')
