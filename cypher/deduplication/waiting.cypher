// Merged papers of which something new is told, or which new rules may take apart.
//
// parameters:
//   $limit INTEGER: how many
// returns:
//   id STRING: a paper
//   ids INTEGER: ids under which it was told
MATCH (:Waiting)-[:INTO]->(p:Paper)
WITH DISTINCT p LIMIT $limit
RETURN p.id AS id, COUNT { (p)<-[:INTO]-() } AS ids
