// Creates the vector index over a space.
//
// {{property}} is the space, {{with}} the other properties that the index holds: Cypher takes no
// parameters there.
//
// parameters:
//   $name STRING: the index
//   $options MAP: indexConfig, a map of its settings
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (paper:Paper) ON (paper.{{property}}) {{with}}
OPTIONS $options
