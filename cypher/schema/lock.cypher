// Locks the schema until the transaction is rolled back; other processes wait.
//
// The lock is the unique key of a migration 0, which does not exist.
MERGE (:Schema {version: 0})
