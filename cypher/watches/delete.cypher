// Deletes a watch and the record of the papers that it has reported.
//
// parameters:
//   $name STRING: the watch
MATCH (w:Watch {name: $name})
DETACH DELETE w
