// Writes reviewers of a venue and replaces their earlier properties; `scored_texts` remains.
//
// parameters:
//   $venue STRING: the venue, which exists
//   $reviewers LIST<MAP>: author (an id), name (for a new author, or one with an e-mail address in
//     place of a name, as from an archive), properties; in the order of the authors
MATCH (v:ReviewVenue {name: $venue})
UNWIND $reviewers AS row
MERGE (r:Author {id: row.author})
  ON CREATE SET r.name = row.name, r.identified = true
  ON MATCH SET r.name =
    CASE WHEN r.name CONTAINS '@' AND NOT row.name CONTAINS '@' THEN row.name ELSE r.name END
SET r:Reviewer
MERGE (r)-[reviews:REVIEWS_FOR]->(v)
SET reviews += row.properties
