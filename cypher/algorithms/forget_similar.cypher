// Deletes the relationships SIMILAR of a space.
//
// parameters:
//   $space STRING: the space
MATCH (:Paper)-[similar:SIMILAR {space: $space}]->()
CALL (similar) {
  DELETE similar
} IN TRANSACTIONS OF 10000 ROWS
