// References that fit a paper least well: far in text, and cited by none of its neighbors.
//
// The opposite of `bridging_references`: a reference that is neither near nor shared may be a
// mistake, a courtesy or a discovery.
//
// purpose: review
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of references
//   $candidates INTEGER = 100: number of the nearest papers that are its neighbors
// returns:
//   id STRING: a paper that it cites
//   title STRING: its title
//   year INTEGER: its year
//   neighbors INTEGER: number of neighbors that cite it too
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   citations INTEGER: number of its citations in the graph
MATCH (paper:Paper {id: $id})
{{$candidates + 1 nearest to paper[$space] in $space}}
WHERE near <> paper
WITH paper, collect(near) AS nearest
CALL (paper, nearest) {
  MATCH (paper)-[:CITES]->(reference:Paper)
  WHERE reference[$space] IS NOT NULL
  RETURN reference, 0 AS cited, 1 AS own
UNION ALL
  UNWIND nearest AS near
  MATCH (near)-[:CITES]->(reference:Paper)
  RETURN reference, 1 AS cited, 0 AS own
}
WITH paper, reference, sum(cited) AS neighbors, sum(own) AS own
WHERE own > 0
WITH reference, neighbors,
     vector.similarity.euclidean(paper[$space], reference[$space]) AS score
ORDER BY neighbors, score, reference.id
LIMIT $k
RETURN reference.id AS id, reference.title AS title, reference.year AS year, neighbors, score,
       COUNT { (reference)<-[:CITES]-() } AS citations
ORDER BY neighbors, score, id
