// Forget which files unfinished loads have done: run again, they read all of them.
MATCH (p:LoadedFile)
CALL (p) {
  DELETE p
} IN TRANSACTIONS OF 10000 ROWS
