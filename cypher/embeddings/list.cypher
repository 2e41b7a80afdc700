// Lists the recorded embedding spaces, by name. A record without a name or dimension is ignored.
//
// returns:
//   space MAP: the fields of EmbeddingSpace
MATCH (space:EmbeddingSpace)
WHERE space.property IS NOT NULL AND space.dimension IS NOT NULL
RETURN properties(space) AS space
ORDER BY space.property
