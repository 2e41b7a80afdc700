// Creates the vector index over a space.
//
// {{property}} is the space, {{with_filters}} the other properties in the index, because Cypher
// does not accept parameters there.
//
// parameters:
//   $name STRING: the index
//   $options MAP: indexConfig, a map of its settings
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (paper:Paper) ON (paper.{{property}}) {{with_filters}}
OPTIONS $options
