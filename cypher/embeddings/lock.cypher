// Locks out other commands that write the vectors of a space until the transaction is rolled back.
//
// parameters:
//   $lock STRING: the name of the lock, which is not a name of a space
MERGE (:EmbeddingSpace {property: $lock})
