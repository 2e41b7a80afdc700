// Returns the titles and first authors of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $k INTEGER: maximum number of authors of a paper
// returns:
//   papers LIST<MAP>: id; title, null for a stub; authors, LIST<MAP> with id and name, in order
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH paper {
  .id, .title,
  authors: COLLECT {
    MATCH (author:Author)-[wrote:WROTE]->(paper)
    WITH author, wrote ORDER BY wrote.position, author.id LIMIT $k
    RETURN author {.id, .name}
  }
} AS details
RETURN collect(details) AS papers
