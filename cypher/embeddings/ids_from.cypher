// Ids of papers that begin with a prefix.
//
// parameters:
//   $prefix STRING: how they begin
//   $limit INTEGER: at most so many
// returns:
//   id STRING: the paper
MATCH (paper:Paper)
WHERE paper.id STARTS WITH $prefix
RETURN paper.id AS id
LIMIT $limit
