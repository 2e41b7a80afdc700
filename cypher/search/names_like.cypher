// Returns names of venues, fields or authors that have similar words, or words with a prefix.
//
// parameters:
//   $index STRING: the full-text index of their names
//   $words STRING: the words in Lucene's syntax
//   $limit INTEGER: maximum number of names
// returns:
//   name STRING: a name
CALL db.index.fulltext.queryNodes($index, $words, {limit: $limit}) YIELD node
RETURN coalesce(node.name, node.id) AS name
