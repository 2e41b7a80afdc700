// Of candidates for each query paper, those that are related to it, so that they are no negatives.
//
// Related is what the query cites, what cites it, and what is cited together with it, by a paper
// that is not held out.
//
// parameters:
//   $rows LIST<MAP>: id of a query paper, candidates LIST<STRING> of ids
//   $held_out INTEGER: papers with a smaller draw are held out
// returns:
//   found LIST<LIST<STRING>>: one record for the batch, per row in their order: ids of candidates
UNWIND $rows AS row
MATCH (query:Paper {id: row.id})
RETURN collect(
  COLLECT {
    MATCH (query)-[:CITES]-(paper)
    WHERE paper.id IN row.candidates
    RETURN paper.id
    UNION
    MATCH (query)<-[:CITES]-(citing)-[:CITES]->(paper)
    WHERE citing.draw >= $held_out AND paper.id IN row.candidates
    RETURN paper.id
  }
) AS found
