// The conditions of a filter on a paper `near`, which are inserted into a search.
//
// Each line has one condition, which its parameter selects. An index can apply the conditions on year
// and language.
//
// parameters:
//   $since INTEGER: the first year
//   $until INTEGER: the last year
//   $language STRING: the code of the language
//   $fields LIST<STRING>: element ids of fields
//   $venues LIST<STRING>: element ids of venues
//   $authors LIST<STRING>: element ids of authors
//   $topics LIST<STRING>: element ids of topics
//   $lists LIST<STRING>: element ids of reading lists
//   $exclude LIST<STRING>: papers to exclude
near.year >= $since
near.year <= $until
near.language = $language
EXISTS { (near)-[:ABOUT]->(field) WHERE elementId(field) IN $fields }
EXISTS { (near)-[:PUBLISHED_IN]->(venue) WHERE elementId(venue) IN $venues }
EXISTS { (near)<-[:WROTE]-(author) WHERE elementId(author) IN $authors }
EXISTS { (near)-[:IN_TOPIC]->(topic) WHERE elementId(topic) IN $topics }
EXISTS { (near)<-[:DESCRIBES]-{0,1}()<-[:LISTS]-(list) WHERE elementId(list) IN $lists }
NOT near.id IN $exclude
