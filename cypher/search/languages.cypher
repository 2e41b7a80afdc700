// Returns the languages of the papers.
//
// returns:
//   language STRING: the code of a language
MATCH (paper:Paper)
WHERE paper.language IS NOT NULL
RETURN DISTINCT paper.language AS language
ORDER BY language
