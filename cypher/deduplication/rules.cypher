// The rules by which papers were merged last.
//
// returns:
//   prefer LIST<STRING>: sources in the order of preference
//   by_title BOOLEAN: whether title, year and first author tell papers too
MATCH (r:MergeRules {name: 'rules'})
RETURN r.prefer AS prefer, r.by_title AS by_title
