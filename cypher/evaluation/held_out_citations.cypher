// Returns for each held-out paper the training papers that it cites, that cite it, or that are
// co-cited with it.
//
// Training papers have a record and are not held out. Two papers are co-cited if a third paper
// cites both.
//
// parameters:
//   $ids LIST<STRING>: ids of held-out papers
//   $held_out INTEGER: papers with a smaller sample key are held out
//   $test INTEGER: papers with a smaller sample key do not count as citing both; 0 excludes none
// returns:
//   id STRING: the held-out paper
//   cites LIST<STRING>: ids of training papers, unordered
//   cited_by LIST<STRING>: likewise
//   cocited LIST<STRING>: likewise
//   times LIST<INTEGER>: the number of papers that cite each of these with the held-out paper
UNWIND $ids AS id
MATCH (query:Paper {id: id})
CALL (query) {
  MATCH (query)<-[:CITES]-(citing:Paper)
  WHERE citing.sample_key >= $test
  MATCH (citing)-[:CITES]->(other:Paper&!Stub) WHERE other.sample_key >= $held_out
  WITH other, count(*) AS times
  RETURN collect(other.id) AS cocited, collect(times) AS times
}
RETURN query.id AS id,
       COLLECT {
         MATCH (query)-[:CITES]->(cited:Paper&!Stub) WHERE cited.sample_key >= $held_out
         RETURN cited.id
       } AS cites,
       COLLECT {
         MATCH (query)<-[:CITES]-(citing:Paper&!Stub) WHERE citing.sample_key >= $held_out
         RETURN citing.id
       } AS cited_by,
       cocited,
       times
