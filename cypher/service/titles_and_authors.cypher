// Titles and first authors of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $k INTEGER: how many authors of each at most
// returns:
//   id STRING: a paper
//   title STRING: its title, null where only the id is known
//   authors LIST<MAP>: id and name, in order
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH author, wrote ORDER BY wrote.position, author.id LIMIT $k
         RETURN author {.id, .name}
       } AS authors
