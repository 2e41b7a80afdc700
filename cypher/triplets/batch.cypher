// Returns the eligible references and hard negatives of each query paper, in a seeded order.
//
// Training papers are eligible: they have a record and are not held out. A hard negative is cited
// by an eligible reference of the query, but not by the query, and is not the query (SPECTER,
// section 2.4). The order key of a paper c for a query q is (c.sample_key * a + $shift) % P with
// P = 2^31 - 1 and a = 1 + (q.sample_key * $factor + $offset) % (P - 1): a different order for each
// query and seed. Only the first $fanout references are followed for hard negatives, and none with
// more than $links links.
//
// {{to}} is `->`, or `-` for citations in both directions: then a reference is a paper that the
// query cites or is cited by, at either step.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $factor INTEGER: in [1, P), from the seed
//   $offset INTEGER: in [0, P), from the seed
//   $shift INTEGER: in [0, P), from the seed
//   $fanout INTEGER: maximum number of references that are followed
//   $links INTEGER: maximum number of links of a followed reference
//   $exclude_cocited BOOLEAN: no hard negative is cited by a training paper that cites the query
//   $hard INTEGER: number of hard negatives of a query
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   mined LIST<LIST<ANY>>: one record for the batch, per query in the order of $ids:
//       its id, its sample key, the ids of its references, the ids of its hard negatives
UNWIND $ids AS id
MATCH (query:Paper {id: id})
WITH query, 1 + (query.sample_key * $factor + $offset) % 2147483646 AS a
CALL (query, a) {
  MATCH (query)-[:CITES]{{to}}(reference)
  WHERE NOT reference:Stub AND reference.sample_key >= $held_out AND reference <> query
  WITH DISTINCT reference, a
  ORDER BY (reference.sample_key * a + $shift) % 2147483647, reference.id
  RETURN collect(reference) AS cited
}
CALL (query, a, cited) {
  UNWIND cited AS reference
  WITH query, a, cited, reference
  WHERE COUNT { (reference)-[:CITES]{{to}}() } <= $links
  LIMIT $fanout
  MATCH (reference)-[:CITES]{{to}}(negative)
  WHERE NOT negative:Stub AND negative.sample_key >= $held_out
    AND negative <> query AND NOT negative IN cited
  WITH DISTINCT query, negative, a
  ORDER BY (negative.sample_key * a + $shift) % 2147483647, negative.id
  WITH query, negative
  WHERE NOT $exclude_cocited OR NOT
    CASE
      WHEN COUNT { (query)<-[:CITES]-() } < COUNT { (negative)<-[:CITES]-() } THEN EXISTS {
        MATCH (query)<-[:CITES]-(citing)
        WHERE citing.sample_key >= $held_out AND EXISTS { (citing)-[:CITES]->(negative) }
      }
      ELSE EXISTS {
        MATCH (negative)<-[:CITES]-(citing)
        WHERE citing.sample_key >= $held_out AND EXISTS { (citing)-[:CITES]->(query) }
      }
    END
  LIMIT $hard
  RETURN collect(negative.id) AS hard
}
RETURN collect([query.id, query.sample_key, [reference IN cited | reference.id], hard]) AS mined
