// Stores the record of an embedding space.
//
// parameters:
//   $name STRING: the name of the space
//   $properties MAP: the other fields of EmbeddingSpace; a `split` that is null becomes the stored
//     split
MERGE (space:EmbeddingSpace {property: $name})
SET space = $properties,
  space.property = $name,
  space.split = coalesce($properties.split, COLLECT { MATCH (s:Split) RETURN s.digest }[0], '')
