// What to read around the paper: what its nearest neighbours cite most.
//
// A reading counts the neighbours that cite it, each by its score, and its own score.
//
// purpose: recommend
// parameters:
//   $id PAPER: the paper
//   $space SPACE = "specter": the embedding space
//   $k INTEGER = 10: how many papers
//   $neighbours INTEGER = 50: how many of the nearest papers to ask
// returns:
//   id STRING: a paper to read
//   title STRING: its title
//   year INTEGER: its year
//   weight FLOAT: its score times the sum of the scores of the neighbours that cite it
//   neighbours INTEGER: how many neighbours cite it
//   cited BOOLEAN: whether the paper cites it already
MATCH (paper:Paper {id: $id})
{{$neighbours * 2 + 1 nearest to paper[$space] in $space}}
WHERE near <> paper
WITH paper, near, score ORDER BY score DESC, near.id LIMIT $neighbours
MATCH (near)-[:CITES]->(reading:Paper&!Stub)
WHERE reading <> paper
WITH paper, reading, count(near) AS neighbours, sum(score) AS support
WHERE reading[$space] IS NOT NULL
RETURN reading.id AS id, reading.title AS title, reading.year AS year,
       support * vector.similarity.euclidean(paper[$space], reading[$space]) AS weight,
       neighbours, EXISTS { (paper)-[:CITES]->(reading) } AS cited
ORDER BY weight DESC, id
LIMIT $k
