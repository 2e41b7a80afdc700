// Returns a paper in a language, if there is one.
//
// parameters:
//   $language STRING: the code of the language
// returns:
//   id STRING: the id of the paper
MATCH (paper:Paper {language: $language})
RETURN paper.id AS id
LIMIT 1
