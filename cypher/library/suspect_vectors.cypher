// Papers whose vectors are far from the papers that they cite or that cite them: a text may be wrong.
//
// Reads papers of some years in a fixed random order. One index search per paper, and the distances
// to all linked papers, take more than 0.2 seconds in total.
//
// purpose: maintain
// parameters:
//   $from INTEGER: the first year
//   $to INTEGER: the last year
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $papers INTEGER = 30: number of papers to look at
//   $neighbors INTEGER = 50: number of the nearest papers that are neighbors of each
//   $min_links INTEGER = 5: minimum number of linked papers
//   $k INTEGER = 10: number of papers
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   near_share FLOAT: the share of the linked papers that are among its neighbors
//   similarity FLOAT: the mean of 1 / (1 + squared distance) to the linked papers
//   linked INTEGER: papers with vectors that it cites or that cite it
MATCH (paper:Paper)
WHERE $from <= paper.year <= $to
WITH paper ORDER BY {{sample order of paper}} LIMIT 20 * $papers
WITH paper WHERE paper[$space] IS NOT NULL LIMIT $papers
CALL (paper) {
  {{$neighbors + 1 nearest to paper[$space] in $space}}
  RETURN collect(near) AS nearest
}
MATCH (paper)-[:CITES]-(linked:Paper&!Stub)
WHERE linked[$space] IS NOT NULL
WITH paper, count(*) AS links, avg(CASE WHEN linked IN nearest THEN 1.0 ELSE 0.0 END) AS near_share,
     avg(vector.similarity.euclidean(paper[$space], linked[$space])) AS similarity
WHERE links >= $min_links
RETURN paper.id AS id, paper.title AS title, paper.year AS year, near_share, similarity,
       links AS linked
ORDER BY near_share, similarity, id
LIMIT $k
