// Returns a page of the ids of the training papers, or of a random part of them, in order.
//
// The sample keys are multiplied before they are compared, because the smallest ones belong to
// held-out papers.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
//   $factor INTEGER: in [1, P) with P = 2^31 - 1, from the seed
//   $below INTEGER: the part of them that is wanted, times P
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&!Stub)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after AND paper.sample_key >= $held_out
  AND (paper.sample_key * $factor) % 2147483647 < $below
WITH paper.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
