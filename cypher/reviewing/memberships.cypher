// Writes that people are at institutions, as a venue declares it.
//
// parameters:
//   $venue STRING: the venue
//   $source STRING: file, or email for the domains of e-mail addresses
//   $memberships LIST<MAP>: author (an id), institution (an id), until (the last year; may be null)
UNWIND $memberships AS row
MATCH (a:Author {id: row.author})
MERGE (f:Affiliation {id: row.institution})
  ON CREATE SET f.name = row.institution
CREATE (a)-[:MEMBER_OF {venue: $venue, source: $source, until: row.until}]->(f)
