// Returns the most cited papers that pass the filters.
//
// parameters:
//   $k INTEGER: maximum number of papers
// returns:
//   id STRING: a paper
{{start}}
WHERE NOT near:Stub AND {{others}}
WITH near, COUNT { (near)<-[:CITES]-() } AS citations
ORDER BY citations DESC, near.id
LIMIT $k
RETURN near.id AS id
