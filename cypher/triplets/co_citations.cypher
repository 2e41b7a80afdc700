// For each query paper, the papers that are cited together with it.
//
// Eligible is a training paper: it has a record and is not held out. Papers that are held out
// cite nothing here.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   mined LIST<LIST<ANY>>: one record for the batch, per query in the order of $ids:
//       its id, its draw, the ids of the papers in order, their draws, and how many cite both
UNWIND $ids AS id
MATCH (query:Paper {id: id})
CALL (query) {
  MATCH (query)<-[:CITES]-(citing)-[:CITES]->(paper)
  WHERE citing.draw >= $held_out AND citing <> query
    AND paper <> query AND paper <> citing AND NOT paper:Stub AND paper.draw >= $held_out
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.draw) AS draws, collect(times) AS counts
}
RETURN collect([query.id, query.draw, papers, draws, counts]) AS mined
