// Removes the vectors of a space, and their text hashes, from all papers.
//
// parameters:
//   $space STRING: the name of the space
//   $nothing MAP: its two properties, both null
MATCH (paper:Paper)
WHERE paper[$space] IS NOT NULL
CALL (paper) {
  SET paper += $nothing
} IN TRANSACTIONS OF 5000 ROWS
