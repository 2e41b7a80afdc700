// Waits until full-text search includes all committed changes.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
