// Returns a page of the texts of papers with a title, in the order of their ids.
//
// parameters:
//   $after STRING: the last id of the previous page
//   $limit INTEGER: papers per page
//   $parts LIST<STRING>: the parts in addition to title and abstract
//   $max_references INTEGER: maximum number of references
//   $max_characters INTEGER: maximum characters of the full text
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: the paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
//   venue STRING: the name of its venue, may be null
//   authors LIST<STRING>: names of its authors, in order
//   references LIST<STRING>: titles of papers that it cites, in a reproducible random order; none
//     from or to held-out papers
//   body STRING: the beginning of its full text, may be null
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after AND paper.title IS :: STRING NOT NULL
WITH paper ORDER BY paper.id LIMIT $limit
{{include embeddings/parts}}
ORDER BY id
