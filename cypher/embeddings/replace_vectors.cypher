// Replaces the vectors of a space and their text hashes by those in the property $next.
//
// The property $next is kept, so that an interrupted run can be repeated. A vector without a
// replacement is removed.
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
