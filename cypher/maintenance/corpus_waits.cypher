// Have taken apart the merged papers of which a corpus tells. Manages its own transactions.
//
// parameters:
//   $corpus STRING: the source, or the prefix of ids without its colon
//   $source STRING: how a record that is kept as JSON gives the source
//   $rows INTEGER: nodes in a transaction
MATCH (m:Merged)
WHERE m.id STARTS WITH $corpus + ':' OR m.told CONTAINS $source OR m.waiting CONTAINS $source
CALL (m) {
  SET m:Waiting
} IN TRANSACTIONS OF $rows ROWS
