// Merged papers that do not say yet what their sources tell.
//
// parameters:
//   $limit INTEGER: how many
// returns:
//   id STRING: a paper
MATCH (p:Unwritten)
RETURN p.id AS id LIMIT $limit
