// Papers that are close to a paper by co-citation and also in the space.
//
// They are ranked by the product of the score and Salton's cosine of co-citation: the number of
// papers that cite both, divided by the root of the product of the numbers that cite each.
//
// purpose: recommend
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 300: number of the nearest papers to look through
// returns:
//   id STRING: a close paper
//   title STRING: its title
//   year INTEGER: its year
//   agreement FLOAT: score times the cosine of co-citation
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   cocitations INTEGER: number of papers that cite both
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
WITH paper, collect(near) AS close, collect(score) AS scores
MATCH (paper)<-[:CITES]-()-[:CITES]->(near)
WHERE near IN close
WITH paper, close, scores, near, count(*) AS cocitations
WITH near, head([i IN range(0, size(close) - 1) WHERE close[i] = near | scores[i]]) AS score,
     cocitations, COUNT { (paper)<-[:CITES]-() } * COUNT { (near)<-[:CITES]-() } AS citations
RETURN near.id AS id, near.title AS title, near.year AS year,
       score * cocitations / sqrt(citations) AS agreement, score, cocitations
ORDER BY agreement DESC, id
LIMIT $k
