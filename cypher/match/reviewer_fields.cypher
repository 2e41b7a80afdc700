// What the papers of reviewers are about.
//
// parameters:
//   $authors LIST<STRING>: ids of reviewers
// returns:
//   author STRING: the reviewer
//   fields LIST<STRING>: names of fields, each once
UNWIND $authors AS id
MATCH (r:Author {id: id})-[:WROTE]->(:Paper)-[:ABOUT]->(f:Field)
RETURN r.id AS author, collect(DISTINCT coalesce(f.name, f.id)) AS fields
