// The papers whose neighbors in two spaces, such as text and SGC, have the least in common.
//
// Reads papers of some years in a fixed random order. Papers that cite across subjects that their text
// does not connect come first. Two index searches per paper may take more than 0.2 seconds in total.
//
// purpose: assess
// parameters:
//   $from INTEGER: the first year
//   $to INTEGER: the last year
//   $space SPACE = null: one embedding space, by default specter, base or static
//   $other SPACE = "sgc": the other
//   $papers INTEGER = 100: number of papers to look at
//   $neighbors INTEGER = 10: number of neighbors to compare
//   $k INTEGER = 10: number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   shared INTEGER: number of neighbors that are the same in both spaces
//   cited_neighbors INTEGER: neighbors in the space that it cites or that cite it
//   other_cited_neighbors INTEGER: neighbors in the other that it cites or that cite it
MATCH (paper:Paper)
WHERE $from <= paper.year <= $to
WITH paper ORDER BY {{sample order of paper}} LIMIT 20 * $papers
WITH paper WHERE paper[$space] IS NOT NULL AND paper[$other] IS NOT NULL LIMIT $papers
CALL (paper) {
  {{$neighbors * 5 nearest to paper[$space] in $space}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $neighbors
  RETURN collect(near) AS nearest
}
CALL (paper) {
  {{$neighbors * 5 nearest to paper[$other] in $other}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $neighbors
  RETURN collect(near) AS other_nearest
}
WITH paper, nearest, other_nearest, size([near IN nearest WHERE near IN other_nearest]) AS shared
RETURN paper.id AS id, paper.title AS title, paper.year AS year, shared,
       size([near IN nearest WHERE EXISTS { (paper)-[:CITES]-(near) }]) AS cited_neighbors,
       size([near IN other_nearest WHERE EXISTS { (paper)-[:CITES]-(near) }])
         AS other_cited_neighbors
ORDER BY shared, other_cited_neighbors DESC, id
LIMIT $k
