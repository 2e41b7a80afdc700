// Counts the papers that contain each word in title or abstract, up to a maximum.
//
// parameters:
//   $words LIST<STRING>: words
//   $limit INTEGER: the number; a word that more papers have counts as this
// returns:
//   word STRING: a word
//   papers INTEGER: how many papers have it
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('fulltext_papers', word, {limit: $limit}) YIELD node
  RETURN count(node) AS papers
}
RETURN word, papers
