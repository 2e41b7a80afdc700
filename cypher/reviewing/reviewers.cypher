// Writes reviewers of a venue and replaces their earlier properties; `scored_texts` remains.
//
// parameters:
//   $venue STRING: the venue, which exists
//   $reviewers LIST<MAP>: author (an id), name (for a new author), properties; in the order of
//     the authors
MATCH (v:ReviewVenue {name: $venue})
UNWIND $reviewers AS row
MERGE (r:Author {id: row.author})
  ON CREATE SET r.name = row.name, r.identified = true
SET r:Reviewer
MERGE (r)-[reviews:REVIEWS_FOR]->(v)
SET reviews += row.properties
