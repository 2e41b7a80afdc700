// Counts and order-free sums that tell one corpus from another.
//
// parameters:
//   $prime INTEGER: the modulus of the draws
// returns:
//   papers INTEGER: papers, stubs among them
//   drawn INTEGER: the sum of their draws
//   records INTEGER: the sum of the digests of their records
//   citations INTEGER: citations
//   cited INTEGER: the sum over citations of a residue made from the draws of both ends
CALL () {
  MATCH (p:Paper)
  RETURN count(p) AS papers, sum(p.draw) % $prime AS drawn,
    sum(p.record % $prime) % $prime AS records
}
CALL () {
  MATCH (p:Paper)-[:CITES]->(q:Paper)
  RETURN count(*) AS citations, sum((p.draw * q.draw + p.draw) % $prime) % $prime AS cited
}
RETURN papers, drawn, records, citations, cited
