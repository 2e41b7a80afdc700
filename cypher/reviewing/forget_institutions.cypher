// Deletes what a venue declares of institutions, and institutions without other relationships.
//
// parameters:
//   $venue STRING: the venue
MATCH (f:Affiliation)-[w:WITHIN {venue: $venue}]->(g:Affiliation)
DELETE w
WITH collect(f) + collect(g) AS ends
UNWIND ends AS f
WITH DISTINCT f
WHERE NOT EXISTS { (f)--() }
DELETE f
