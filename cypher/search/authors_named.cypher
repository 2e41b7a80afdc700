// Returns authors whose names contain some words, with their numbers of papers.
//
// parameters:
//   $names STRING: the words in Lucene's syntax
//   $limit INTEGER: maximum number of authors
// returns:
//   node STRING: the element id of an author
//   id STRING: its id
//   name STRING: its name
//   papers INTEGER: number of the author's papers
//   every INTEGER: number of all papers
CALL db.index.fulltext.queryNodes('fulltext_authors', $names, {limit: $limit}) YIELD node
RETURN elementId(node) AS node, node.id AS id, node.name AS name,
       COUNT { (node)-[:WROTE]->() } AS papers, COUNT { (:Paper) } AS every
