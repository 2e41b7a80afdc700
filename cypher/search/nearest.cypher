// Returns the papers nearest to a vector that pass the filters.
//
// A space without a record is incomplete and gives no papers.
//
// parameters:
//   $vector LIST<FLOAT>: the vector
//   $space STRING: the embedding space
//   $k INTEGER: maximum number of papers
//   $candidates INTEGER: number of candidates from the index
// returns:
//   hits LIST<MAP>: id, title, year and score, 1 / (1 + squared distance), the nearest first
MATCH (:EmbeddingSpace {property: $space})
{{$candidates nearest to $vector in $space}}
WHERE {{filters}}
WITH near, near.id AS id, score
ORDER BY score DESC, id
LIMIT $k
RETURN collect({id: id, title: near.title, year: near.year, score: score}) AS hits
