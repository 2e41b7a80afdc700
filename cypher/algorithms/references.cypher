// Reads all papers, stubs among them, with what they cite, in the order of their ids.
//
// returns:
//   id STRING: the paper
//   cited LIST<STRING>: the papers that it cites
MATCH (paper:Paper)
RETURN paper.id AS id, [(paper)-[:CITES]->(cited:Paper) | cited.id] AS cited
ORDER BY id
