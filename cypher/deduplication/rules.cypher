// Returns the rules of the last merge.
//
// returns:
//   prefer LIST<STRING>: sources in the order of preference
//   by_title BOOLEAN: true if title, year and first author together count as an identifier
MATCH (r:MergeRules {name: 'rules'})
RETURN r.prefer AS prefer, r.by_title AS by_title
