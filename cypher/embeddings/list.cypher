// Lists the recorded embedding spaces, by name. A record without a name or dimension is ignored.
//
// returns:
//   space MAP: the fields of EmbeddingSpace
//   split STRING: the digest of the stored split, null without one
MATCH (space:EmbeddingSpace)
WHERE space.property IS NOT NULL AND space.dimension IS NOT NULL
RETURN space {.*, name: space.property} AS space,
  COLLECT { MATCH (s:Split) RETURN s.digest }[0] AS split
ORDER BY space.name
