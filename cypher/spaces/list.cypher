// Lists the recorded embedding spaces, by name.
//
// returns:
//   space MAP: the fields of EmbeddingSpace
MATCH (space:EmbeddingSpace)
RETURN properties(space) AS space
ORDER BY space.property
