// Returns a page of the texts of papers with a title, in the order of their ids.
//
// parameters:
//   $after STRING: the last id of the previous page
//   $limit INTEGER: papers a page
//   $parts LIST<STRING>: what is wanted: title and abstract always, of the rest what is named
//   $max_references INTEGER: how many references
//   $max_characters INTEGER: of the full text
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: the paper
//   title STRING: its title
//   abstract STRING: its abstract, may be null
//   venue STRING: the name of its venue, may be null
//   authors LIST<STRING>: their names, in order
//   references LIST<STRING>: titles of papers it cites, in an order that is random but always the
//     same; held-out papers cite nothing and are not cited
//   body STRING: the beginning of its full text, may be null
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after AND paper.title IS :: STRING NOT NULL
WITH paper ORDER BY paper.id LIMIT $limit
{{parts}}
ORDER BY id
