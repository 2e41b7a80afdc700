// Returns ids of papers that begin with a prefix.
//
// parameters:
//   $prefix STRING: the prefix
//   $limit INTEGER: maximum number of ids
// returns:
//   id STRING: the paper
MATCH (paper:Paper)
WHERE paper.id STARTS WITH $prefix
RETURN paper.id AS id
LIMIT $limit
