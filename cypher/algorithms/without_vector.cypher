// Counts the papers with a record that have no vector in a space.
//
// parameters:
//   $space STRING: the space
// returns:
//   papers INTEGER: their number
MATCH (paper:Paper&!Stub)
WHERE paper[$space] IS NULL
RETURN count(paper) AS papers
