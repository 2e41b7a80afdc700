// Locks out other merges and deletions until the transaction is rolled back.
MERGE (:MergeRules {name: 'lock'})
