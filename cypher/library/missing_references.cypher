// Papers near in the space that the paper does not cite within two hops: references it may miss.
//
// Neither half gives these rows: the nearest papers are mostly cited already, or by what is cited,
// and citations alone do not lead there. Papers of later years are left out.
//
// purpose: review
// parameters:
//   $id PAPER: the paper
//   $space SPACE = "specter": the embedding space
//   $k INTEGER = 10: how many papers
//   $candidates INTEGER = 300: how many of the nearest papers to look through
// returns:
//   id STRING: a paper near it
//   title STRING: its title
//   year INTEGER: its year
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   citations INTEGER: how often it is cited in the graph
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
  AND coalesce(near.year <= paper.year, true)
  AND NOT EXISTS { (paper)-[:CITES]->(near) }
  AND NOT EXISTS { (paper)-[:CITES]->()-[:CITES]->(near) }
RETURN near.id AS id, near.title AS title, near.year AS year, score,
       COUNT { (near)<-[:CITES]-() } AS citations
ORDER BY score DESC, id
LIMIT $k
