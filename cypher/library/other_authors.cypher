// Authors of papers near a paper, except its authors and their co-authors.
//
// purpose: explore
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of authors
//   $candidates INTEGER = 100: number of the nearest papers to look through
// returns:
//   id STRING: an author
//   name STRING: the name
//   affinity FLOAT: the sum of the scores of the near papers
//   papers INTEGER: number of the near papers that are theirs
//   cited INTEGER: how many of their papers the paper cites
//   nearest STRING: the title of the nearest
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
MATCH (author:Author)-[:WROTE]->(near)
WHERE NOT EXISTS { (author)-[:WROTE]->(paper) }
  AND NOT EXISTS { (author)-[:WROTE]->()<-[:WROTE]-()-[:WROTE]->(paper) }
WITH paper, author, near, score ORDER BY score DESC, near.id
WITH paper, author, count(near) AS papers, sum(score) AS affinity,
     collect(near.title)[0] AS nearest
ORDER BY affinity DESC, author.id
LIMIT $k
RETURN author.id AS id, author.name AS name, affinity, papers,
       COUNT { (author)-[:WROTE]->()<-[:CITES]-(paper) } AS cited, nearest
ORDER BY affinity DESC, id
