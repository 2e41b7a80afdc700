// Authors with a family name that the full-text index leaves out as a stop word: An, No, To.
//
// All authors are looked at.
//
// parameters:
//   $name STRING: the family name in lower case
//   $limit INTEGER: how many authors
// returns:
//   node STRING: the element id of an author
//   id STRING: its id
//   name STRING: its name
//   papers INTEGER: how many papers the author wrote
//   every INTEGER: how many papers there are
MATCH (node:Author)
WHERE toLower(node.name) = $name OR toLower(node.name) ENDS WITH ' ' + $name
   OR toLower(node.name) STARTS WITH $name + ','
WITH node LIMIT $limit
RETURN elementId(node) AS node, node.id AS id, node.name AS name,
       COUNT { (node)-[:WROTE]->() } AS papers, COUNT { (:Paper) } AS every
