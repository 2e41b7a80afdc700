// Returns whether the graph has no nodes except those of the schema.
//
// returns:
//   empty BOOLEAN: true if there is no other node
RETURN NOT EXISTS { MATCH (n:!Schema) } AS empty
