// Authors of papers near a text, and the authors whom these papers cite most.
//
// A paper near the text counts for its authors with its score, and so it does for each other
// author whom it cites.
//
// purpose: explore
// parameters:
//   $text TEXT: a subject
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of authors
//   $candidates INTEGER = 100: number of the nearest papers to look through
// returns:
//   id STRING: an author
//   name STRING: the name
//   weight FLOAT: the sum of the scores of the near papers that are theirs or cite them
//   papers INTEGER: number of the near papers that are theirs
//   citing INTEGER: number of the near papers, by others, that cite them
//   nearest STRING: the title of their nearest paper, null where none is near
CALL () {
  {{$candidates nearest to $vector in $space}}
  RETURN collect({paper: near, score: score}) AS found
}
CALL (found) {
  UNWIND found AS each
  WITH each.paper AS near, each.score AS score
  MATCH (near)<-[:WROTE]-(author:Author)
  RETURN author, near, score, true AS own
UNION ALL
  UNWIND found AS each
  WITH each.paper AS near, each.score AS score
  MATCH (near)-[:CITES]->()<-[:WROTE]-(author:Author)
  WHERE NOT EXISTS { (author)-[:WROTE]->(near) }
  RETURN DISTINCT author, near, score, false AS own
}
WITH author, near, score, own ORDER BY score DESC, near.id
WITH author, sum(score) AS weight, count(CASE WHEN own THEN 1 END) AS papers,
     count(CASE WHEN NOT own THEN 1 END) AS citing,
     collect(CASE WHEN own THEN near.title END)[0] AS nearest
RETURN author.id AS id, author.name AS name, weight, papers, citing, nearest
ORDER BY weight DESC, id
LIMIT $k
