// Deletes all relationships of the nodes of specter-graph, in several transactions.
//
// parameters:
//   $rows INTEGER: relationships per transaction
MATCH (:Paper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|SourceRecord|Watch)-[r]->()
CALL (r) {
  DELETE r
} IN TRANSACTIONS OF $rows ROWS
