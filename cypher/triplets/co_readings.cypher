// For each query paper, the papers that readers viewed, or keep, together with it.
//
// Eligible is a training paper: it has a record and is not held out. Together is: by the same
// reader in the same session, where the readings have one (SPECTER, section 3.3).
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $kind STRING: VIEWED or READ
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   mined LIST<LIST<ANY>>: one record for the batch, per query in the order of $ids:
//       its id, its draw, the ids of the papers in order, their draws, and how often each was read
//       together with the query
UNWIND $ids AS id
MATCH (query:Paper {id: id})
CALL (query) {
  MATCH (query)<-[one:VIEWED|READ]-(reader:Reader)
  WHERE type(one) = $kind
  WITH DISTINCT query, reader, coalesce(one.session, '') AS session
  MATCH (reader)-[other:VIEWED|READ]->(paper:Paper)
  WHERE type(other) = $kind AND coalesce(other.session, '') = session
    AND paper <> query AND NOT paper:Stub AND paper.draw >= $held_out
  WITH DISTINCT paper, reader, session
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.draw) AS draws, collect(times) AS counts
}
RETURN collect([query.id, query.draw, papers, draws, counts]) AS mined
