// Hold the key of a migration that is none, until the transaction is undone.
//
// Who comes meanwhile waits for the key.
MERGE (:Schema {version: 0})
