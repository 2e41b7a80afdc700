// Returns the labels, types and properties of the graph, for completion.
//
// returns:
//   labels LIST<STRING>: labels of nodes
//   types LIST<STRING>: types of relationships
//   properties LIST<STRING>: names of properties
CALL () { CALL db.labels() YIELD label RETURN collect(label) AS labels }
CALL () { CALL db.relationshipTypes() YIELD relationshipType RETURN collect(relationshipType) AS types }
CALL () { CALL db.propertyKeys() YIELD propertyKey RETURN collect(propertyKey) AS properties }
RETURN labels, types, properties
