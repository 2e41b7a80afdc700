// The record of an embedding space; no row where there is none of that name.
//
// parameters:
//   $property STRING: the name of the space
// returns:
//   space MAP: the fields of EmbeddingSpace
MATCH (space:EmbeddingSpace {property: $property})
RETURN properties(space) AS space
