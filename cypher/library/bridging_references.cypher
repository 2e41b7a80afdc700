// References that a paper shares with its neighbors, although their texts are far from it: bridges.
//
// They lead out of the paper's subject, to a method or a result that the whole neighborhood uses.
//
// purpose: explore
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of references
//   $candidates INTEGER = 100: number of the nearest papers that are its neighbors
// returns:
//   id STRING: a paper that it cites
//   title STRING: its title
//   year INTEGER: its year
//   bridge FLOAT: neighbors times (1 - score)
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   neighbors INTEGER: number of neighbors that cite it too
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
MATCH (paper)-[:CITES]->(reference:Paper)<-[:CITES]-(near)
WHERE reference[$space] IS NOT NULL
WITH paper, reference, count(near) AS neighbors
WITH reference, neighbors,
     vector.similarity.euclidean(paper[$space], reference[$space]) AS score
RETURN reference.id AS id, reference.title AS title, reference.year AS year,
       neighbors * (1 - score) AS bridge, score, neighbors
ORDER BY bridge DESC, id
LIMIT $k
