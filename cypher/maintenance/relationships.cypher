// Delete every relationship of our nodes, in many small transactions.
//
// parameters:
//   $rows INTEGER: how many in a transaction
MATCH (:Paper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|SourceRecord)-[r]->()
CALL (r) {
  DELETE r
} IN TRANSACTIONS OF $rows ROWS
