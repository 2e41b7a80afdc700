// Of candidates for each query paper, those that are related to it, so that they are no negatives.
//
// Related is what the query cites, what cites it, and what is cited together with it, by a paper
// that is not held out. Of the two papers, the one with fewer citations says who cites both.
//
// parameters:
//   $rows LIST<MAP>: id of a query paper, candidates LIST<STRING> of ids
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   found LIST<LIST<STRING>>: one record for the batch, per row in their order: ids of candidates
UNWIND $rows AS row
MATCH (query:Paper {id: row.id})
RETURN collect(
  COLLECT {
    UNWIND row.candidates AS id
    MATCH (paper:Paper {id: id})
    WHERE
      CASE
        WHEN EXISTS { (query)-[:CITES]-(paper) } THEN true
        WHEN COUNT { (query)<-[:CITES]-() } < COUNT { (paper)<-[:CITES]-() } THEN EXISTS {
          MATCH (query)<-[:CITES]-(citing)
          WHERE citing.sample_key >= $held_out AND EXISTS { (citing)-[:CITES]->(paper) }
        }
        ELSE EXISTS {
          MATCH (paper)<-[:CITES]-(citing)
          WHERE citing.sample_key >= $held_out AND EXISTS { (citing)-[:CITES]->(query) }
        }
      END
    RETURN paper.id
  }
) AS found
