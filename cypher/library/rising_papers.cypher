// Papers near a paper with rising citations: the last years compared with the years before.
//
// The rise is the difference divided by the root of the sum, a z-score of two Poisson counts. For one
// paper chosen in advance, a rise above 2 is hardly chance; among 300 candidates, several exceed 2.
//
// purpose: assess
// parameters:
//   $id PAPER: a paper of the subject
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $until INTEGER = null: the last year, by default that of the latest citation
//   $years INTEGER = 2: number of years to compare with as many before
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 300: number of the nearest papers to look through
// returns:
//   id STRING: a paper, perhaps the given one
//   title STRING: its title
//   year INTEGER: its year
//   rise FLOAT: (recent - before) / root of (recent + before)
//   recent INTEGER: citations in the last years
//   before INTEGER: citations in the years before
//   score FLOAT: 1 / (1 + squared distance) to the paper
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
MATCH (near)<-[:CITES]-(citing)
WHERE citing.year IS NOT NULL
WITH near, score, citing.year AS year, count(*) AS citations
WITH coalesce($until, max(year)) AS until,
     collect({paper: near, score: score, year: year, citations: citations}) AS found
UNWIND found AS each
WITH each.paper AS near, each.score AS score,
     sum(CASE WHEN until - $years < each.year <= until THEN each.citations ELSE 0 END) AS recent,
     sum(CASE WHEN until - 2 * $years < each.year <= until - $years THEN each.citations ELSE 0 END)
       AS before
WHERE recent > before
RETURN near.id AS id, near.title AS title, near.year AS year,
       (recent - before) / sqrt(recent + before) AS rise, recent, before, score
ORDER BY rise DESC, id
LIMIT $k
