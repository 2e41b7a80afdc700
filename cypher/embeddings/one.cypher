// Returns the record of an embedding space; no row if it does not exist or has no dimension.
//
// parameters:
//   $property STRING: the name of the space
// returns:
//   space MAP: the fields of EmbeddingSpace
//   split STRING: the digest of the stored split, null without one
MATCH (space:EmbeddingSpace {property: $property})
WHERE space.dimension IS NOT NULL
RETURN properties(space) AS space, COLLECT { MATCH (s:Split) RETURN s.digest }[0] AS split
