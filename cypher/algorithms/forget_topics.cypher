// Deletes the topics of a space.
//
// parameters:
//   $space STRING: the space
MATCH (topic:Topic {space: $space})
CALL (topic) {
  DETACH DELETE topic
} IN TRANSACTIONS OF 10 ROWS
