// Hold what two merges or deletions at once would both need, until the transaction is undone.
MERGE (:MergeRules {name: 'lock'})
