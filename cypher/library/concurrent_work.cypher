// Concurrent work: near papers of the same years that share references and do not cite each other.
//
// They are ranked by the product of the score and the cosine of coupling: the number of common
// references, divided by the root of the product of the numbers of references.
//
// purpose: review
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $years INTEGER = 1: maximum difference of their years
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 300: number of the nearest papers to look through
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   agreement FLOAT: score times the cosine of coupling
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   shared INTEGER: number of references that both have
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
  AND abs(near.year - paper.year) <= $years
  AND NOT EXISTS { (paper)-[:CITES]-(near) }
WITH paper, near, score, COUNT { (paper)-[:CITES]->()<-[:CITES]-(near) } AS shared
WHERE shared > 0
WITH near, score, shared,
     COUNT { (paper)-[:CITES]->() } * COUNT { (near)-[:CITES]->() } AS references
RETURN near.id AS id, near.title AS title, near.year AS year,
       score * shared / sqrt(references) AS agreement, score, shared
ORDER BY agreement DESC, id
LIMIT $k
