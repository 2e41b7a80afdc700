// The papers that fit their field least well, by their nearest papers and their references.
//
// Reads some papers of the field in a fixed random order. One index search per paper may take more
// than 0.2 seconds in total.
//
// purpose: assess
// parameters:
//   $field STRING: the id of the field
//   $scheme STRING = "keyword": its scheme
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $papers INTEGER = 30: number of papers to look at
//   $neighbors INTEGER = 20: number of nearest papers (neighbors) of each
//   $k INTEGER = 10: number of papers
// returns:
//   id STRING: a paper of the field
//   title STRING: its title
//   year INTEGER: its year
//   belonging FLOAT: the mean of the two shares, or the first if the second is null
//   near_share FLOAT: share of the neighbors that are of this field
//   cited_share FLOAT: share of the cited papers with a known field that are of this field
MATCH (field:Field {scheme: $scheme, id: $field})<-[:ABOUT]-(paper:Paper)
WITH field, paper ORDER BY {{sample order of paper}}
WITH field, paper WHERE paper[$space] IS NOT NULL LIMIT $papers
CALL (field, paper) {
  {{$neighbors * 2 nearest to paper[$space] in $space}}
  WHERE near <> paper
  WITH field, near ORDER BY score DESC, near.id LIMIT $neighbors
  RETURN avg(CASE WHEN EXISTS { (near)-[:ABOUT]->(field) } THEN 1.0 ELSE 0.0 END) AS near_share
}
CALL (field, paper) {
  MATCH (paper)-[:CITES]->(cited)
  WHERE EXISTS { (cited)-[:ABOUT]->(:Field {scheme: $scheme}) }
  RETURN avg(CASE WHEN EXISTS { (cited)-[:ABOUT]->(field) } THEN 1.0 ELSE 0.0 END) AS cited_share
}
RETURN paper.id AS id, paper.title AS title, paper.year AS year,
       (near_share + coalesce(cited_share, near_share)) / 2 AS belonging, near_share, cited_share
ORDER BY belonging, id
LIMIT $k
