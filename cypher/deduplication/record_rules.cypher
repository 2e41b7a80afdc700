// Stores the rules by which papers are merged.
//
// parameters:
//   $prefer LIST<STRING>: sources in the order of preference
//   $by_title BOOLEAN: true if title, year and first author together count as an identifier
MERGE (r:MergeRules {name: 'rules'})
SET r.prefer = $prefer, r.by_title = $by_title
