// Returns the texts of the given papers that have a title, in the order of their ids.
//
// parameters:
//   $ids LIST<STRING>: the papers
//   $parts LIST<STRING>: as in embeddings/page
//   $max_references INTEGER: maximum number of references
//   $max_characters INTEGER: maximum characters of the full text
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: the paper; the other columns are those of embeddings/page
UNWIND $ids AS id
MATCH (paper:Paper&!Stub {id: id})
WHERE paper.title IS :: STRING NOT NULL
{{include embeddings/parts}}
ORDER BY id
