// Puts the vectors that were built beside a space, and their text hashes, in place of its own.
//
// Those built are left, so that a run that was killed can be repeated. A vector without a
// successor is removed.
//
// parameters:
//   $space STRING: the name of the space
//   $hash STRING: the property with its text hashes
//   $next STRING: the property with the vectors that were built
//   $next_hash STRING: the property with their text hashes
MATCH (text:Paper|ArchivePaper|Submission)
WHERE text[$space] IS NOT NULL OR text[$next] IS NOT NULL
CALL (text) {
  SET text[$space] = text[$next], text[$hash] = text[$next_hash]
} IN TRANSACTIONS OF 2000 ROWS
