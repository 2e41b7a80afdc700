// Removes the vectors of a space and their text hashes from all nodes.
//
// parameters:
//   $space STRING: the name of the space
//   $nothing MAP: its two properties, both null
MATCH (text:Paper|ArchivePaper|Submission)
WHERE text[$space] IS NOT NULL
CALL (text) {
  SET text += $nothing
} IN TRANSACTIONS OF 5000 ROWS
