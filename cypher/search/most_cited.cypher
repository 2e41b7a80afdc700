// The most cited of the papers that pass the filters.
//
// parameters:
//   $k INTEGER: how many papers
// returns:
//   id STRING: a paper
{{start}}
WHERE NOT near:Stub AND {{others}}
WITH near, COUNT { (near)<-[:CITES]-() } AS citations
ORDER BY citations DESC, near.id
LIMIT $k
RETURN near.id AS id
