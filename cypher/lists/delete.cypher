// Deletes a reading list; its papers stay in the graph.
//
// parameters:
//   $name STRING: the list
// returns:
//   deleted INTEGER: 1, or 0 if there is none
MATCH (l:ReadingList {name: $name})
DETACH DELETE l
RETURN count(*) AS deleted
