// Returns authors whose family name is a stop word of the full-text index: An, No, To.
//
// No index has them: the authors are read, up to a maximum.
//
// parameters:
//   $name STRING: the family name in lower case
//   $read INTEGER: maximum number of authors to read
//   $limit INTEGER: maximum number of authors
// returns:
//   node STRING: the element id of an author
//   id STRING: its id
//   name STRING: its name
//   papers INTEGER: number of the author's papers
//   every INTEGER: number of all papers
MATCH (node:Author)
WITH node LIMIT $read
WHERE toLower(node.name) = $name OR toLower(node.name) ENDS WITH ' ' + $name
   OR toLower(node.name) STARTS WITH $name + ','
WITH node LIMIT $limit
RETURN elementId(node) AS node, node.id AS id, node.name AS name,
       COUNT { (node)-[:WROTE]->() } AS papers, COUNT { (:Paper) } AS every
