// Names of venues, of fields, or of authors that have words like some, or words that begin so.
//
// parameters:
//   $index STRING: the full-text index of their names
//   $words STRING: the words in Lucene's syntax
//   $limit INTEGER: how many names
// returns:
//   name STRING: a name
CALL db.index.fulltext.queryNodes($index, $words, {limit: $limit}) YIELD node
RETURN coalesce(node.name, node.id) AS name
