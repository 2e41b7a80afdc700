// Co-authors of an author who wrote papers near a text, or papers that cite these.
//
// A paper near the text counts with its score for a co-author who wrote it, and with half of its
// score for a co-author who cites it.
//
// purpose: recommend
// parameters:
//   $text TEXT: a question, or what it is about
//   $author STRING: the id of the author
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of co-authors
//   $candidates INTEGER = 200: number of the nearest papers to look through
// returns:
//   id STRING: a co-author
//   name STRING: the name
//   weight FLOAT: the sum over the near papers
//   wrote INTEGER: number of the near papers that are theirs
//   cites INTEGER: number of the other near papers that they cite
//   together INTEGER: number of papers that the two wrote together
CALL () {
  MATCH (:Author {id: $author})-[:WROTE]->()<-[:WROTE]-(coauthor:Author)
  WITH coauthor, count(*) AS together
  RETURN collect(coauthor) AS coauthors, collect(together) AS together_counts
}
{{$candidates nearest to $vector in $space}}
CALL (near, coauthors) {
  MATCH (near)<-[:WROTE]-(author) WHERE author IN coauthors
  RETURN author, 2 AS halves
UNION ALL
  MATCH (near)<-[:CITES]-()<-[:WROTE]-(author) WHERE author IN coauthors
  RETURN DISTINCT author, 1 AS halves
}
WITH coauthors, together_counts, author, near, score, max(halves) AS halves
WITH coauthors, together_counts, author, sum(score * halves / 2.0) AS weight,
     count(CASE halves WHEN 2 THEN 1 END) AS wrote, count(CASE halves WHEN 1 THEN 1 END) AS cites
RETURN author.id AS id, author.name AS name, weight, wrote, cites,
       [i IN range(0, size(coauthors) - 1) WHERE coauthors[i] = author | together_counts[i]][0]
         AS together
ORDER BY weight DESC, id
LIMIT $k
