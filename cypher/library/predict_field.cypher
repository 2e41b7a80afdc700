// The likely fields of a paper, by a vote of the papers near it, its references and its citing papers.
//
// The vote of a field is the mean of two shares: its share of the scores of the nearest papers, and
// its share of the fields of the papers that it cites or that cite it. If one share is unknown, the
// other counts alone. Use it to label papers without fields, and to check existing labels.
//
// purpose: maintain
// parameters:
//   $id PAPER: the paper
//   $scheme STRING = "keyword": the scheme of the fields
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of fields
//   $neighbors INTEGER = 20: number of the nearest papers that vote
// returns:
//   id STRING: a field
//   name STRING: its name
//   vote FLOAT: its share of the votes
//   near_share FLOAT: its share among the nearest papers
//   cited_share FLOAT: its share among the papers that citations join
//   labeled BOOLEAN: true if the paper has the field already
MATCH (paper:Paper {id: $id})
CALL (paper) {
  {{$neighbors * 5 nearest to paper[$space] in $space}}
  WHERE near <> paper
  WITH near, score ORDER BY score DESC, near.id LIMIT $neighbors
  MATCH (near)-[:ABOUT]->(field:Field)
  WHERE field.scheme = $scheme
  RETURN field, score AS near_vote, 0.0 AS cited_vote
UNION ALL
  MATCH (paper)-[:CITES]-()-[:ABOUT]->(field:Field)
  WHERE field.scheme = $scheme
  RETURN field, 0.0 AS near_vote, 1.0 AS cited_vote
}
WITH paper, field, sum(near_vote) AS near_votes, sum(cited_vote) AS cited_votes
WITH paper, sum(near_votes) AS all_near, sum(cited_votes) AS all_cited,
     collect({field: field, near: near_votes, cited: cited_votes}) AS votes
UNWIND votes AS each
WITH paper, each.field AS field,
     CASE WHEN all_near > 0 THEN each.near / all_near END AS near_share,
     CASE WHEN all_cited > 0 THEN each.cited / all_cited END AS cited_share
RETURN field.id AS id, field.name AS name,
       (coalesce(near_share, cited_share) + coalesce(cited_share, near_share)) / 2 AS vote,
       near_share, cited_share, EXISTS { (paper)-[:ABOUT]->(field) } AS labeled
ORDER BY vote DESC, id
LIMIT $k
