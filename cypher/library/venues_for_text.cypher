// Venues for a text: the venues of the papers near it, and of the papers that these cite.
//
// A venue's weight is the mean of two shares: of the scores of the nearest papers, and of the
// references of these papers, each where the venue is known.
//
// purpose: recommend
// parameters:
//   $text TEXT: the text, such as a title and abstract
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of venues
//   $candidates INTEGER = 100: number of the nearest papers to look through
// returns:
//   id STRING: a venue
//   name STRING: its name
//   weight FLOAT: the mean of the two shares
//   near_share FLOAT: its share of the nearest papers' scores
//   cited_share FLOAT: its share of what they cite
//   papers INTEGER: number of the nearest papers that it has
CALL () {
  {{$candidates nearest to $vector in $space}}
  RETURN collect({paper: near, score: score}) AS found
}
CALL (found) {
  UNWIND found AS each
  WITH each.paper AS near, each.score AS score
  MATCH (near)-[:PUBLISHED_IN]->(venue:Venue)
  RETURN venue, score AS near_weight, 0.0 AS cited_weight, 1 AS paper
UNION ALL
  UNWIND found AS each
  WITH each.paper AS near
  MATCH (near)-[:CITES]->()-[:PUBLISHED_IN]->(venue:Venue)
  RETURN venue, 0.0 AS near_weight, 1.0 AS cited_weight, 0 AS paper
}
WITH venue, sum(near_weight) AS near_weight, sum(cited_weight) AS cited_weight,
     sum(paper) AS papers
WITH sum(near_weight) AS all_near, sum(cited_weight) AS all_cited,
     collect({venue: venue, near: near_weight, cited: cited_weight, papers: papers}) AS venues
UNWIND venues AS each
WITH each.venue AS venue, each.papers AS papers,
     CASE WHEN all_near > 0 THEN each.near / all_near ELSE 0.0 END AS near_share,
     CASE WHEN all_cited > 0 THEN each.cited / all_cited ELSE 0.0 END AS cited_share
RETURN venue.id AS id, venue.name AS name, (near_share + cited_share) / 2 AS weight, near_share,
       cited_share, papers
ORDER BY weight DESC, id
LIMIT $k
