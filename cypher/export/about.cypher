// Returns the papers about a field or a narrower field.
//
// parameters:
//   $scheme STRING: its scheme
//   $id STRING: its id
// returns:
//   id STRING: a paper
MATCH (narrower:Field)-[:BROADER*0..]->(:Field {scheme: $scheme, id: $id})
WITH DISTINCT narrower
MATCH (narrower)<-[:ABOUT]-(paper:Paper)
RETURN DISTINCT paper.id AS id
