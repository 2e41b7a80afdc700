// Pairs of papers that may be duplicates: almost the same vector, or the same title.
//
// Reads papers of some years in a fixed random order, which `skip` continues. Pairs in which one paper
// cites the other are excluded: they are more likely parts of a series.
//
// purpose: maintain
// parameters:
//   $from INTEGER: the first year
//   $to INTEGER: the last year
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $min_score FLOAT = 0.9: the score from which on vectors are almost the same
//   $skip INTEGER = 0: number of papers to skip
//   $papers INTEGER = 30: number of papers to look at
//   $k INTEGER = 10: number of pairs
// returns:
//   id STRING: a paper
//   title STRING: its title
//   other STRING: its possible duplicate
//   other_title STRING: its title
//   likeness FLOAT: the mean of the score and the share of common references
//   score FLOAT: 1 / (1 + squared distance) between them
//   shared INTEGER: number of references that both have
//   same_title BOOLEAN: true if the titles are equal, ignoring case
MATCH (paper:Paper)
WHERE $from <= paper.year <= $to
WITH paper ORDER BY {{sample order of paper}} LIMIT 20 * ($skip + $papers)
WITH paper WHERE paper[$space] IS NOT NULL SKIP $skip LIMIT $papers
CALL (paper) {
  {{20 nearest to paper[$space] in $space}}
  WHERE near <> paper AND (score >= $min_score OR toLower(near.title) = toLower(paper.title))
    AND NOT EXISTS { (paper)-[:CITES]-(near) }
  RETURN CASE WHEN paper.id < near.id THEN [paper, near] ELSE [near, paper] END AS pair, score
}
WITH DISTINCT pair[0] AS paper, pair[1] AS near, score
WITH paper, near, score, COUNT { (paper)-[:CITES]->()<-[:CITES]-(near) } AS shared,
     COUNT { (paper)-[:CITES]->() } + COUNT { (near)-[:CITES]->() } AS references
RETURN paper.id AS id, paper.title AS title, near.id AS other, near.title AS other_title,
       (score + CASE WHEN shared > 0 THEN shared * 1.0 / (references - shared) ELSE 0 END) / 2
         AS likeness,
       score, shared, toLower(paper.title) = toLower(near.title) AS same_title
ORDER BY likeness DESC, id, other
LIMIT $k
