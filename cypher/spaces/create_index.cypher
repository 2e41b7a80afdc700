// Creates the vector index over a space.
//
// {{property}} is the space: Cypher takes no parameter there.
//
// parameters:
//   $name STRING: the index
//   $dimension INTEGER: of its vectors
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (paper:Paper) ON (paper.{{property}})
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'euclidean'
}}
