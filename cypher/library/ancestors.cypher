// The intellectual ancestors of a paper, over up to three generations of references.
//
// Every path of citations down to an ancestor counts, with the product of the similarities from
// paper to paper along it. Papers without a vector are skipped. Three generations of a paper
// with many references need hundreds of distances and may take more than 0.2 seconds.
//
// purpose: explore
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $generations INTEGER = 3: number of generations, at most 3
//   $k INTEGER = 10: number of ancestors
// returns:
//   id STRING: an ancestor
//   title STRING: its title
//   year INTEGER: its year
//   weight FLOAT: the sum over the paths
//   generation INTEGER: the length of the shortest path
//   paths INTEGER: the number of paths
MATCH (paper:Paper {id: $id})
WITH paper, [{paper: paper, weight: 1.0, paths: 1}] AS self
CALL (self) {
  UNWIND self AS each
  WITH each.paper AS child, each.weight AS weight, each.paths AS paths
  MATCH (child)-[:CITES]->(parent:Paper&!Stub)
  WHERE parent[$space] IS NOT NULL
  WITH parent, sum(paths) AS paths,
       sum(weight * vector.similarity.euclidean(child[$space], parent[$space])) AS weight
  RETURN collect({paper: parent, weight: weight, paths: paths}) AS parents
}
CALL (parents) {
  UNWIND parents AS each
  WITH each.paper AS child, each.weight AS weight, each.paths AS paths
  MATCH (child)-[:CITES]->(parent:Paper&!Stub)
  WHERE parent[$space] IS NOT NULL
  WITH parent, sum(paths) AS paths,
       sum(weight * vector.similarity.euclidean(child[$space], parent[$space])) AS weight
  RETURN collect({paper: parent, weight: weight, paths: paths}) AS grandparents
}
CALL (grandparents) {
  UNWIND grandparents AS each
  WITH each.paper AS child, each.weight AS weight, each.paths AS paths
  MATCH (child)-[:CITES]->(parent:Paper&!Stub)
  WHERE parent[$space] IS NOT NULL
  WITH parent, sum(paths) AS paths,
       sum(weight * vector.similarity.euclidean(child[$space], parent[$space])) AS weight
  RETURN collect({paper: parent, weight: weight, paths: paths}) AS great
}
WITH paper, [parents, grandparents, great] AS generations
UNWIND range(1, $generations) AS generation
UNWIND generations[generation - 1] AS each
WITH paper, each.paper AS ancestor, generation, each.weight AS weight, each.paths AS paths
WHERE ancestor <> paper
RETURN ancestor.id AS id, ancestor.title AS title, ancestor.year AS year, sum(weight) AS weight,
       min(generation) AS generation, sum(paths) AS paths
ORDER BY weight DESC, id
LIMIT $k
