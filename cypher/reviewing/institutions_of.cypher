// Returns what a venue declares of institutions.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   institution STRING: the id of an institution
//   above STRING: the id of an institution of which it is a part or another name
MATCH (f:Affiliation)-[:WITHIN {venue: $venue}]->(g:Affiliation)
RETURN f.id AS institution, g.id AS above
