// Counts the papers that contain each word in title or abstract, up to a maximum.
//
// parameters:
//   $words LIST<STRING>: words
//   $limit INTEGER: the maximum count of a word
// returns:
//   word STRING: a word
//   papers INTEGER: number of papers that have it
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('fulltext_papers', word, {limit: $limit}) YIELD node
  RETURN count(node) AS papers
}
RETURN word, papers
