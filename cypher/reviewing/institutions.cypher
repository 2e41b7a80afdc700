// Writes that institutions are parts of others, or other names of them, as a venue declares it.
//
// parameters:
//   $venue STRING: the venue
//   $institutions LIST<MAP>: institution, above (ids)
UNWIND $institutions AS row
MERGE (f:Affiliation {id: row.institution})
  ON CREATE SET f.name = row.institution
MERGE (g:Affiliation {id: row.above})
  ON CREATE SET g.name = row.above
CREATE (f)-[:WITHIN {venue: $venue}]->(g)
