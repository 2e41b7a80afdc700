// For each query paper, the papers that are cited together with it.
//
// Eligible is a training paper: it has a record and is not held out. Papers that are held out
// cite nothing here. Papers with more than $links references are left out, and at most $links of
// those that cite the query are taken, the first in the order of batch.cypher.
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
//   counts LIST<INTEGER>: how many cite both
//   linked LIST<STRING>: ids of the training papers that the query cites, or that cite it
UNWIND $ids AS id
MATCH (query:Paper {id: id})
WITH query, 1 + (query.draw * $factor + $offset) % 2147483646 AS a
CALL (query, a) {
  MATCH (query)<-[:CITES]-(citing)
  WHERE citing.draw >= $held_out AND citing <> query
    AND COUNT { (citing)-[:CITES]->() } <= $links
  WITH query, citing
  ORDER BY (citing.draw * a + $shift) % 2147483647, citing.id
  LIMIT $links
  MATCH (citing)-[:CITES]->(paper)
  WHERE paper <> query AND paper <> citing AND NOT paper:Stub AND paper.draw >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.draw) AS draws, collect(times) AS counts
}
RETURN query.id AS id, query.draw AS draw, papers, draws, counts, COLLECT {
  MATCH (query)-[:CITES]-(linked)
  WHERE NOT linked:Stub AND linked.draw >= $held_out AND linked <> query
  RETURN DISTINCT linked.id
} AS linked
