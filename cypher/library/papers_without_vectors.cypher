// Papers of some years that have no vector in a space, the most cited first.
//
// purpose: maintain
// parameters:
//   $from INTEGER: the first year
//   $to INTEGER: the last year
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   citations INTEGER: number of its citations
//   abstract BOOLEAN: true if it has an abstract
MATCH (paper:Paper&!Stub)
WHERE $from <= paper.year <= $to AND paper[$space] IS NULL
WITH paper, COUNT { (paper)<-[:CITES]-() } AS citations
ORDER BY citations DESC, paper.id
LIMIT $k
RETURN paper.id AS id, paper.title AS title, paper.year AS year, citations,
       paper.abstract IS NOT NULL AS abstract
ORDER BY citations DESC, id
