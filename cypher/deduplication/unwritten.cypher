// Merged papers that do not say yet what their sources tell.
//
// parameters:
//   $limit INTEGER: how many
// returns:
//   id STRING: a paper
//   ids INTEGER: ids under which it was told
MATCH (p:Unwritten)
WITH p LIMIT $limit
RETURN p.id AS id, COUNT { (p)<-[:INTO]-() } AS ids
