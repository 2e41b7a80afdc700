// Returns the labels of the graph with the properties of some of their nodes, and the relationship
// types with the labels that they connect.
//
// returns:
//   kind STRING: node or relationship
//   name STRING: the label or the type
//   properties LIST<STRING>: the properties of some of them
//   between LIST<STRING>: for a relationship, pairs of labels such as (Paper)->(Paper)
CALL db.labels() YIELD label
CALL (label) {
  MATCH (node:$(label))
  WITH node LIMIT 100
  UNWIND keys(node) AS key
  RETURN collect(DISTINCT key) AS properties
}
RETURN 'node' AS kind, label AS name, properties, [] AS between
UNION ALL
CALL db.relationshipTypes() YIELD relationshipType
CALL (relationshipType) {
  MATCH (start)-[relationship:$(relationshipType)]->(end)
  WITH start, relationship, end LIMIT 100
  RETURN
    collect(DISTINCT '(' + labels(start)[0] + ')->(' + labels(end)[0] + ')') AS between,
    collect(DISTINCT keys(relationship)) AS keys
}
RETURN
  'relationship' AS kind,
  relationshipType AS name,
  [key IN reduce(all = [], each IN keys | all + each) | key] AS properties,
  between
