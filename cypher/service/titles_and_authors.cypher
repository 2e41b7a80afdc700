// Returns the titles and first authors of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $k INTEGER: maximum number of authors of a paper
// returns:
//   id STRING: a paper
//   title STRING: its title, null for a stub
//   authors LIST<MAP>: id and name, in order
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH author, wrote ORDER BY wrote.position, author.id LIMIT $k
         RETURN author {.id, .name}
       } AS authors
