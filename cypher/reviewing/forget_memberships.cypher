// Deletes the declared memberships of a venue, and institutions without other relationships.
//
// parameters:
//   $venue STRING: the venue
//   $source STRING: file or email; null for both
MATCH ()-[m:MEMBER_OF {venue: $venue}]->(f:Affiliation)
WHERE $source IS NULL OR m.source = $source
DELETE m
WITH DISTINCT f
WHERE NOT EXISTS { (f)--() }
DELETE f
