// Returns the candidates of each query paper that are related to it and so cannot be negatives.
//
// A paper is related if the query cites it, if it cites the query, or if a paper that is not held
// out cites both. The incoming citations of the less cited of the two papers are read.
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
