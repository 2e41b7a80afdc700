// Returns, for each query paper, the papers that share citing papers, or references, with it.
//
// {{to}} is <-[:CITES]- for co-citation, and -[:CITES]-> for bibliographic coupling; {{back}} is the
// opposite. Training papers are eligible: they have a record and are not held out. The papers between
// may be stubs, but not held-out papers. Those with more than $links links are omitted, and at most
// $links of a query are followed, the first in the order of batch.cypher.
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
//   counts LIST<INTEGER>: numbers of papers between the query and each of them
//   linked LIST<STRING>: ids of the training papers that the query cites, or that cite it
UNWIND $ids AS id
MATCH (query:Paper {id: id})
WITH query, 1 + (query.sample_key * $factor + $offset) % 2147483646 AS a
CALL (query, a) {
  MATCH (query){{to}}(between)
  WHERE between.sample_key >= $held_out AND between <> query
    AND COUNT { (between){{back}}() } <= $links
  WITH query, between
  ORDER BY (between.sample_key * a + $shift) % 2147483647, between.id
  LIMIT $links
  MATCH (between){{back}}(paper)
  WHERE paper <> query AND paper <> between AND NOT paper:Stub AND paper.sample_key >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.sample_key) AS sample_keys, collect(times) AS counts
}
RETURN query.id AS id, query.sample_key AS sample_key, papers, sample_keys, counts, COLLECT {
  MATCH (query)-[:CITES]-(linked)
  WHERE NOT linked:Stub AND linked.sample_key >= $held_out AND linked <> query
  RETURN DISTINCT linked.id
} AS linked
