// Conditions on a paper that is found, `near`: those that are asked for are spliced into a search.
//
// One a line, by the parameter that it names. Those on year and language can be met in an index.
//
// parameters:
//   $since INTEGER: the first year
//   $until INTEGER: the last year
//   $language STRING: the code of the language
//   $field STRING: the id or the name of a field, in any case
//   $venue STRING: the id or the name of a venue, in any case
//   $without LIST<STRING>: papers that are not wanted
//   $held_out INTEGER: papers with a smaller draw are not wanted
near.year >= $since
near.year <= $until
near.language = $language
EXISTS { (near)-[:ABOUT]->(field:Field) WHERE toLower($field) IN [toLower(field.id), toLower(field.name)] }
EXISTS { (near)-[:PUBLISHED_IN]->(venue:Venue) WHERE toLower($venue) IN [toLower(venue.id), toLower(venue.name)] }
NOT near.id IN $without
near.draw >= $held_out
