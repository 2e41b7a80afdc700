// Returns titles and abstracts of papers that have similar words.
//
// parameters:
//   $queried LIST<MAP>: word STRING; like LIST<STRING>: Lucene queries for similar words
//   $limit INTEGER: how many papers for a query
// returns:
//   word STRING: a word that is asked
//   texts LIST<STRING>: the texts of papers
UNWIND $queried AS each
CALL (each) {
  UNWIND each.like AS like
  CALL db.index.fulltext.queryNodes('fulltext_papers', like, {limit: $limit}) YIELD node
  WITH DISTINCT node
  RETURN collect(coalesce(node.title, '') + ' ' + coalesce(node.abstract, '')) AS texts
}
RETURN each.word AS word, texts
