// Writes relations between people, as a venue declares them.
//
// parameters:
//   $venue STRING: the venue
//   $relations LIST<MAP>: author, other (ids), relation, until (the last year; may be null)
UNWIND $relations AS row
MATCH (a:Author {id: row.author})
MATCH (b:Author {id: row.other})
CREATE (a)-[:RELATED_TO {venue: $venue, relation: row.relation, until: row.until}]->(b)
