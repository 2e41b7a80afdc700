// Waits until full-text search sees all that has been committed.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
