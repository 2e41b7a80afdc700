// Pairs of fields with similar papers and no citations between them.
//
// Neither paper cites the other, no paper cites both, and they have no reference in common. Reads
// some papers of the first field in a fixed random order; papers of both fields are left out. One
// index search per paper, and two hops from each result, may take more than 0.2 seconds in total.
//
// purpose: explore
// parameters:
//   $first STRING: the id of a field
//   $second STRING: the id of another
//   $scheme STRING = "keyword": their scheme
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $papers INTEGER = 30: number of papers of the first field to look at
//   $k INTEGER = 10: number of pairs
//   $candidates INTEGER = 100: number of the nearest papers of each to look through
// returns:
//   id STRING: a paper of the first field
//   title STRING: its title
//   other STRING: a paper of the second
//   other_title STRING: its title
//   score FLOAT: 1 / (1 + squared distance) between them
MATCH (one:Field {scheme: $scheme, id: $first})<-[:ABOUT]-(paper:Paper)
WHERE NOT EXISTS { (paper)-[:ABOUT]->(f) WHERE f.id = $second AND f.scheme = $scheme }
WITH one, paper ORDER BY {{sample order of paper}}
WITH one, paper WHERE paper[$space] IS NOT NULL LIMIT $papers
CALL (one, paper) {
  {{$candidates nearest to paper[$space] in $space}}
  WHERE EXISTS { (near)-[:ABOUT]->(f) WHERE f.id = $second AND f.scheme = $scheme }
    AND NOT EXISTS { (near)-[:ABOUT]->(one) }
    AND NOT EXISTS { (paper)-[:CITES]-(near) }
    AND NOT EXISTS { (paper)-[:CITES]->()<-[:CITES]-(near) }
    AND NOT EXISTS { (paper)<-[:CITES]-()-[:CITES]->(near) }
  RETURN near, score
}
RETURN paper.id AS id, paper.title AS title, near.id AS other, near.title AS other_title, score
ORDER BY score DESC, id, other
LIMIT $k
