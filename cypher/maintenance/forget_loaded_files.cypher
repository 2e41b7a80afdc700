// Removes the record of completed files of unfinished loads, so that they are read again.
MATCH (p:LoadedFile)
CALL (p) {
  DELETE p
} IN TRANSACTIONS OF 10000 ROWS
