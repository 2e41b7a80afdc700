// Returns a vector index by name.
//
// parameters:
//   $name STRING: the index
// returns:
//   properties LIST<STRING>: the vector's, then those that can be filtered on
//   config MAP: its settings
SHOW VECTOR INDEXES YIELD name, properties, options
WHERE name = $name
RETURN properties, options.indexConfig AS config
