// Returns, for each query paper, the training papers that it cites or that cite it.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   found LIST<LIST<ANY>>: one record for the batch, per query in the order of $ids:
//       its id, its sample key, the ids of those papers, in no order
UNWIND $ids AS id
MATCH (query:Paper {id: id})
RETURN collect([
  query.id,
  query.sample_key,
  COLLECT {
    MATCH (query)-[:CITES]-(paper)
    WHERE NOT paper:Stub AND paper.sample_key >= $held_out
    RETURN DISTINCT paper.id
  }
]) AS found
