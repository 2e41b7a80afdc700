// Returns a vector index by name.
//
// parameters:
//   $name STRING: the index
// returns:
//   properties LIST<STRING>: the property of the vector, then the properties for filters
//   config MAP: its settings
SHOW VECTOR INDEXES YIELD name, properties, options
WHERE name = $name
RETURN properties, options.indexConfig AS config
