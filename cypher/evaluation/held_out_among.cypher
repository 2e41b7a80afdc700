// Returns those of some papers that are held out.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   ids LIST<STRING>: the held-out ones
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.sample_key < $held_out
RETURN collect(id) AS ids
