// Note the rules by which papers are merged.
//
// parameters:
//   $prefer LIST<STRING>: sources in the order of preference
//   $by_title BOOLEAN: whether title, year and first author tell papers too
MERGE (r:MergeRules {name: 'rules'})
SET r.prefer = $prefer, r.by_title = $by_title
