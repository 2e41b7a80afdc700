// The papers nearest to a vector.
//
// parameters:
//   $vector LIST<FLOAT>: the vector
//   $space STRING: the embedding space
//   $k INTEGER: how many papers
//   $candidates INTEGER: how many to ask the index for
// returns:
//   id STRING: a paper near it
//   title STRING: its title
//   year INTEGER: its year
//   score FLOAT: 1 / (1 + squared distance)
{{$candidates nearest to $vector in $space}}
RETURN near.id AS id, near.title AS title, near.year AS year, score
ORDER BY score DESC, id
LIMIT $k
