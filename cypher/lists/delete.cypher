// Deletes a reading list; its papers stay in the graph.
//
// parameters:
//   $name STRING: the list
MATCH (l:ReadingList {name: $name})
DETACH DELETE l
