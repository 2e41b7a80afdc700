// Returns the authors with the most papers, as reviewers of an example venue.
//
// parameters:
//   $limit INTEGER: maximum authors
// returns:
//   id STRING: its id
MATCH (a:Author)
WITH a, COUNT { (a)-[:WROTE]->() } AS papers
ORDER BY papers DESC, a.id
LIMIT $limit
RETURN a.id AS id
