// Returns the metadata for the features of the task recomm, without citations of held-out papers.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: the paper
//   title STRING: its title
//   year INTEGER: may be null
//   authors LIST<STRING>: ids, unordered
//   references LIST<STRING>: ids, unordered; none from or to a held-out paper
//   cited_by LIST<STRING>: likewise
UNWIND $ids AS id
MATCH (paper:Paper&!Stub {id: id})
RETURN paper.id AS id,
       paper.title AS title,
       paper.year AS year,
       COLLECT { MATCH (paper)<-[:WROTE]-(author:Author) RETURN author.id } AS authors,
       COLLECT {
         MATCH (paper)-[:CITES]->(other:Paper)
         WHERE paper.sample_key >= $held_out AND other.sample_key >= $held_out
         RETURN other.id
       } AS references,
       COLLECT {
         MATCH (paper)<-[:CITES]-(other:Paper)
         WHERE paper.sample_key >= $held_out AND other.sample_key >= $held_out
         RETURN other.id
       } AS cited_by
