// Returns the ids of all affiliations.
//
// returns:
//   id STRING: the id
MATCH (f:Affiliation)
RETURN f.id AS id
