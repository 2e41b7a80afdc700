// The papers of a search without an index: one of these lines is inserted into it.
//
// The lines select all papers, or the papers of the venues, fields, authors, topics or reading lists of a
// filter.
//
// parameters:
//   $venues LIST<STRING>: element ids of venues
//   $fields LIST<STRING>: element ids of fields
//   $authors LIST<STRING>: element ids of authors
//   $topics LIST<STRING>: element ids of topics
//   $lists LIST<STRING>: element ids of reading lists
MATCH (near:Paper)
MATCH (venue)<-[:PUBLISHED_IN]-(near) WHERE elementId(venue) IN $venues WITH DISTINCT near
MATCH (field)<-[:ABOUT]-(near) WHERE elementId(field) IN $fields WITH DISTINCT near
MATCH (author)-[:WROTE]->(near) WHERE elementId(author) IN $authors WITH DISTINCT near
MATCH (topic)<-[:IN_TOPIC]-(near) WHERE elementId(topic) IN $topics WITH DISTINCT near
MATCH (list)-[:LISTS]->()-[:DESCRIBES]->{0,1}(near:Paper) WHERE elementId(list) IN $lists WITH DISTINCT near
