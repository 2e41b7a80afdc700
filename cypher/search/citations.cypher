// The papers that citations connect with some papers, the seeds: the best by each signal.
//
// A seed may cite a paper; both may be cited by a third, which counts the less the more it cites;
// both may cite a third, which counts the less the more often it is cited (bibliographic coupling,
// Kessler 1963; co-citation, Small 1973). Of a third with more citations than $most, or a seed, as
// many are followed, the same in any order of loading; a third that both cite with ten times as
// many says next to nothing, and a seed with more is sampled among those that the store gives
// first. Of a question's own papers what they cite is no signal, but among the seeds.
//
// parameters:
//   $seeds LIST<MAP>: id, weight, own BOOLEAN (a paper of the question itself)
//   $most INTEGER: how many citations of a paper are followed
//   $passed LIST<STRING>: papers whose own citations are passed over
//   $held_out INTEGER: papers with a smaller draw are passed over; 0 passes over none
//   $k INTEGER: how many papers a signal
// returns:
//   signal STRING: cited, cocited, coupled, own_cocited or own_coupled
//   papers LIST<STRING>: ids, the best first
//   citations LIST<INTEGER>: how often each is cited
UNWIND $seeds AS seed
MATCH (paper:Paper {id: seed.id})
CALL (paper, seed) {
  WITH paper, seed WHERE NOT seed.own AND NOT paper.id IN $passed
  MATCH (paper)-[:CITES]->(near:Paper)
  RETURN near, 'cited' AS signal, seed.weight AS weight
  UNION ALL
  MATCH (paper)<-[:CITES]-(third:Paper)
  WHERE NOT third.id IN $passed AND third.draw >= $held_out
  WITH paper, seed, third LIMIT 10 * $most
  WITH paper, seed, third ORDER BY {{sample order of third}} LIMIT $most
  WITH paper, seed.weight / COUNT { (third)-[:CITES]->() } AS weight, third
  MATCH (third)-[:CITES]->(near:Paper)
  WHERE near <> paper
  RETURN near, 'cocited' AS signal, weight
  UNION ALL
  WITH paper, seed WHERE NOT paper.id IN $passed
  MATCH (paper)-[:CITES]->(third:Paper)
  WHERE third.draw >= $held_out
  WITH paper, seed, third, {{counted third}} AS size
  WHERE 0 < size <= 10 * $most
  CALL (paper, third) {
    MATCH (third)<-[:CITES]-(near:Paper)
    WHERE near <> paper
    RETURN near ORDER BY {{sample order of near}} LIMIT $most
  }
  RETURN near, 'coupled' AS signal, seed.weight / size AS weight
}
WITH near, CASE WHEN seed.own THEN 'own_' ELSE '' END + signal AS signal, sum(weight) AS weight
WHERE NOT near:Stub AND {{filters}}
WITH near, signal, weight
ORDER BY weight DESC, near.id
WITH signal, collect(near)[..$k] AS best
UNWIND best AS near
RETURN signal, collect(near.id) AS papers, collect({{counted}}) AS citations
