// Remember what a curated list says of authors.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept); in the order of the ids
UNWIND $authors AS row
MERGE (m:MergedAuthor {id: row.id})
SET m.author = row.author
