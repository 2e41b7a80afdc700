// Counts and order-free sums that tell one corpus from another.
//
// parameters:
//   $prime INTEGER: the modulus of the sample keys
// returns:
//   papers INTEGER: papers, stubs among them
//   drawn INTEGER: the sum of their sample keys
//   records INTEGER: the sum of the digests of their records
//   citations INTEGER: citations
//   cited INTEGER: the sum over citations of a residue made from the sample keys of both ends
CALL () {
  MATCH (p:Paper)
  RETURN count(p) AS papers, sum(p.sample_key) % $prime AS drawn,
    sum(p.record_version % $prime) % $prime AS records
}
CALL () {
  MATCH (p:Paper)-[:CITES]->(q:Paper)
  RETURN count(*) AS citations, sum((p.sample_key * q.sample_key + p.sample_key) % $prime) % $prime AS cited
}
RETURN papers, drawn, records, citations, cited
