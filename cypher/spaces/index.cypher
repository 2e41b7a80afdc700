// Says whether there is a vector index of that name, and over how many dimensions.
//
// parameters:
//   $name STRING: the index
// returns:
//   dimension INTEGER: of its vectors
SHOW VECTOR INDEXES YIELD name, options
WHERE name = $name
RETURN options.indexConfig['vector.dimensions'] AS dimension
