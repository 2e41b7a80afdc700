// Merged papers of which something new is told, or which new rules may take apart.
//
// parameters:
//   $limit INTEGER: how many
// returns:
//   id STRING: a paper
MATCH (:Waiting)-[:INTO]->(p:Paper)
RETURN DISTINCT p.id AS id LIMIT $limit
