// Hold what two merges at once would both need, until the transaction is undone.
MERGE (:MergeRules {name: 'lock'})
