// Returns venues or fields with a name or id, ignoring case, with their numbers of papers.
//
// parameters:
//   $index STRING: the full-text index of their names
//   $phrases LIST<STRING>: the name as a phrase in Lucene's syntax, for each property of the index
//   $name STRING: the name
//   $limit INTEGER: number of candidates from the index; an exact match of the name comes first
// returns:
//   node STRING: the element id of a venue or field
//   papers INTEGER: number of its papers
//   every INTEGER: number of all papers
UNWIND $phrases AS phrase
CALL db.index.fulltext.queryNodes($index, phrase, {limit: $limit}) YIELD node
WHERE toLower($name) IN [toLower(node.id), toLower(node.name)]
WITH DISTINCT node
RETURN elementId(node) AS node, COUNT { (node)<-[:PUBLISHED_IN|ABOUT]-() } AS papers, COUNT { (:Paper) } AS every
