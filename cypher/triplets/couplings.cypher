// For each query paper, the papers that cite what it cites (bibliographic coupling).
//
// Eligible is a training paper: it has a record and is not held out. What is cited by both may be
// a stub, but is not held out. Papers with more than $links citations are left out, and at most
// $links of those that the query cites are taken, the first in the order of batch.cypher.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $links INTEGER: above
//   $factor INTEGER: in [1, P) with P = 2^31 - 1, from the seed
//   $offset INTEGER: in [0, P), from the seed
//   $shift INTEGER: in [0, P), from the seed
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   id STRING: id of the query paper; the rows are in the order of $ids
//   draw INTEGER: its draw
//   papers LIST<STRING>: ids of the papers, in order
//   draws LIST<INTEGER>: their draws
//   counts LIST<INTEGER>: how many both cite
//   linked LIST<STRING>: ids of the training papers that the query cites, or that cite it
UNWIND $ids AS id
MATCH (query:Paper {id: id})
WITH query, 1 + (query.draw * $factor + $offset) % 2147483646 AS a
CALL (query, a) {
  MATCH (query)-[:CITES]->(cited)
  WHERE cited.draw >= $held_out AND cited <> query
    AND COUNT { (cited)<-[:CITES]-() } <= $links
  WITH query, cited
  ORDER BY (cited.draw * a + $shift) % 2147483647, cited.id
  LIMIT $links
  MATCH (cited)<-[:CITES]-(paper)
  WHERE paper <> query AND paper <> cited AND NOT paper:Stub AND paper.draw >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.draw) AS draws, collect(times) AS counts
}
RETURN query.id AS id, query.draw AS draw, papers, draws, counts, COLLECT {
  MATCH (query)-[:CITES]-(linked)
  WHERE NOT linked:Stub AND linked.draw >= $held_out AND linked <> query
  RETURN DISTINCT linked.id
} AS linked
