// Returns the state of an unfinished load of vectors into a space, "" without one.
//
// parameters:
//   $property STRING: the name of the space
// returns:
//   state STRING: what `save_load_state` stored last
OPTIONAL MATCH (space:EmbeddingSpace {property: $property})
RETURN coalesce(space.loading, '') AS state
