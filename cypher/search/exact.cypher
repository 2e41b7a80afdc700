// Returns the papers nearest to a vector, by comparing all papers that pass the filters.
//
// parameters:
//   $vector LIST<FLOAT>: the vector
//   $space STRING: the embedding space
//   $k INTEGER: maximum number of papers
// returns:
//   hits LIST<MAP>: id, title, year and score, 1 / (1 + squared distance), the nearest first
{{start}}
WHERE {{others}}
WITH near, vector.similarity.euclidean(near[$space], $vector) AS score
WHERE score IS NOT NULL
WITH near, near.id AS id, score
ORDER BY score DESC, id
LIMIT $k
RETURN collect({id: id, title: near.title, year: near.year, score: score}) AS hits
