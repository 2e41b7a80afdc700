// Conditions on a paper that is found, `near`: those that are asked for are spliced into a search.
//
// One a line, by the parameter that it names. Those on year and language can be met in an index.
//
// parameters:
//   $since INTEGER: the first year
//   $until INTEGER: the last year
//   $language STRING: the code of the language
//   $fields LIST<STRING>: element ids of fields
//   $venues LIST<STRING>: element ids of venues
//   $authors LIST<STRING>: element ids of authors
//   $without LIST<STRING>: papers that are not wanted
near.year >= $since
near.year <= $until
near.language = $language
EXISTS { (near)-[:ABOUT]->(field) WHERE elementId(field) IN $fields }
EXISTS { (near)-[:PUBLISHED_IN]->(venue) WHERE elementId(venue) IN $venues }
EXISTS { (near)<-[:WROTE]-(author) WHERE elementId(author) IN $authors }
NOT near.id IN $without
