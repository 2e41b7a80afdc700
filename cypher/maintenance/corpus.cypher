// Returns counts and order-independent sums that identify the content of a part of the graph.
//
// A citation belongs to the part of the citing paper.
//
// parameters:
//   $prime INTEGER: the modulus of the sample keys
//   $part INTEGER: the part, from 0
//   $parts INTEGER: number of parts, which are equal shares of the sample keys
// returns:
//   papers INTEGER: number of papers, including stubs
//   drawn INTEGER: the sum of their sample keys
//   records INTEGER: the sum of the digests of their records
//   citations INTEGER: number of citations
//   cited INTEGER: the sum over citations of a residue of the sample keys of both ends
CALL () {
  MATCH (p:Paper)
  WHERE coalesce(p.sample_key, 0) % $parts = $part
  RETURN count(p) AS papers, sum(p.sample_key) % $prime AS drawn,
    sum(p.record_version % $prime) % $prime AS records
}
CALL () {
  MATCH (p:Paper)
  WHERE coalesce(p.sample_key, 0) % $parts = $part
  MATCH (p)-[:CITES]->(q:Paper)
  RETURN count(*) AS citations, sum((p.sample_key * q.sample_key + p.sample_key) % $prime) % $prime AS cited
}
RETURN papers, drawn, records, citations, cited
