// The papers to read to understand a paper, in order: from the foundations to the newest.
//
// Chooses the k nearest papers with the highest score times (1 + the citations from the others), and
// orders them by year, and papers of the same year by `used_by` minus `builds_on`, the highest first.
//
// purpose: recommend
// parameters:
//   $id PAPER: the paper to understand
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 200: number of the nearest papers to choose from
// returns:
//   id STRING: a paper to read, in order
//   title STRING: its title
//   year INTEGER: its year
//   used_by INTEGER: number of the chosen papers that cite it
//   builds_on INTEGER: number of the chosen papers that it cites
//   citations INTEGER: number of the nearest papers that cite it
//   score FLOAT: 1 / (1 + squared distance) to the paper
MATCH (goal:Paper {id: $id})
{{$candidates + 1 nearest to goal[$space] in $space}}
WHERE near <> goal
WITH collect({paper: near, score: score}) AS found
CALL (found) {
  UNWIND found AS each
  RETURN each.paper AS reading, each.score AS score, 0 AS cited
UNION ALL
  UNWIND found AS each
  WITH each.paper AS citing
  MATCH (citing)-[:CITES]->(reading:Paper)
  RETURN reading, null AS score, 1 AS cited
}
WITH reading, max(score) AS score, sum(cited) AS citations
WHERE score IS NOT NULL
WITH reading, score, citations ORDER BY score * (1 + citations) DESC, reading.id LIMIT $k
WITH collect(reading) AS chosen, collect({score: score, citations: citations}) AS figures
UNWIND range(0, size(chosen) - 1) AS i
WITH chosen, chosen[i] AS reading, figures[i].score AS score, figures[i].citations AS citations
RETURN reading.id AS id, reading.title AS title, reading.year AS year,
       COUNT { MATCH (reading)<-[:CITES]-(other) WHERE other IN chosen } AS used_by,
       COUNT { MATCH (reading)-[:CITES]->(other) WHERE other IN chosen } AS builds_on,
       citations, score
ORDER BY year, used_by - builds_on DESC, id
