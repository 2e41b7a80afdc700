// Words that no paper has in its title or abstract, in their order.
//
// parameters:
//   $words LIST<STRING>: words
// returns:
//   word STRING: one that no paper has
UNWIND range(0, size($words) - 1) AS number
CALL (number) {
  CALL db.index.fulltext.queryNodes('fulltext_papers', $words[number], {limit: 1}) YIELD node
  RETURN count(node) AS papers
}
WITH number, papers WHERE papers = 0
RETURN $words[number] AS word
ORDER BY number
