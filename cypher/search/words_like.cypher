// Returns titles and abstracts of papers that have similar words.
//
// parameters:
//   $queried LIST<MAP>: word STRING; like LIST<STRING>: Lucene queries for similar words
//   $limit INTEGER: maximum number of papers for a query
// returns:
//   word STRING: a word of $queried
//   texts LIST<STRING>: the texts of papers
UNWIND $queried AS each
CALL (each) {
  UNWIND each.like AS like
  CALL db.index.fulltext.queryNodes('fulltext_papers', like, {limit: $limit}) YIELD node
  WITH DISTINCT node
  RETURN collect(coalesce(node.title, '') + ' ' + coalesce(node.abstract, '')) AS texts
}
RETURN each.word AS word, texts
