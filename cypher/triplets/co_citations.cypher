// Returns, for each query paper, the papers that are cited together with it.
//
// Training papers are eligible: they have a record and are not held out. Citations of held-out
// papers are not used. Papers with more than $links references are omitted, and at most $links
// papers that cite the query are followed, the first in the order of batch.cypher.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $links INTEGER: maximum number of links, see above
//   $factor INTEGER: in [1, P) with P = 2^31 - 1, from the seed
//   $offset INTEGER: in [0, P), from the seed
//   $shift INTEGER: in [0, P), from the seed
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: id of the query paper; the rows are in the order of $ids
//   sample_key INTEGER: its sample key
//   papers LIST<STRING>: ids of the papers, in order
//   sample_keys LIST<INTEGER>: their sample keys
//   counts LIST<INTEGER>: numbers of papers that cite both
//   linked LIST<STRING>: ids of the training papers that the query cites, or that cite it
UNWIND $ids AS id
MATCH (query:Paper {id: id})
WITH query, 1 + (query.sample_key * $factor + $offset) % 2147483646 AS a
CALL (query, a) {
  MATCH (query)<-[:CITES]-(citing)
  WHERE citing.sample_key >= $held_out AND citing <> query
    AND COUNT { (citing)-[:CITES]->() } <= $links
  WITH query, citing
  ORDER BY (citing.sample_key * a + $shift) % 2147483647, citing.id
  LIMIT $links
  MATCH (citing)-[:CITES]->(paper)
  WHERE paper <> query AND paper <> citing AND NOT paper:Stub AND paper.sample_key >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.sample_key) AS sample_keys, collect(times) AS counts
}
RETURN query.id AS id, query.sample_key AS sample_key, papers, sample_keys, counts, COLLECT {
  MATCH (query)-[:CITES]-(linked)
  WHERE NOT linked:Stub AND linked.sample_key >= $held_out AND linked <> query
  RETURN DISTINCT linked.id
} AS linked
