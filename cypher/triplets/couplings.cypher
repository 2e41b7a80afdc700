// For each query paper, the papers that cite what it cites (bibliographic coupling).
//
// Eligible is a training paper: it has a record and is not held out. What is cited by both may be
// a stub, but is not held out.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   mined LIST<LIST<ANY>>: one record for the batch, per query in the order of $ids:
//       its id, its draw, the ids of the papers in order, their draws, and how many both cite
UNWIND $ids AS id
MATCH (query:Paper {id: id})
CALL (query) {
  MATCH (query)-[:CITES]->(cited)<-[:CITES]-(paper)
  WHERE cited.draw >= $held_out AND cited <> query
    AND paper <> query AND paper <> cited AND NOT paper:Stub AND paper.draw >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.draw) AS draws, collect(times) AS counts
}
RETURN collect([query.id, query.draw, papers, draws, counts]) AS mined
