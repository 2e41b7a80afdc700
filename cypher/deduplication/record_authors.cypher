// Stores the content of a curated list.
//
// parameters:
//   $authors LIST<MAP>: id, author (the id that is kept); in the order of the ids
UNWIND $authors AS row
MERGE (m:MergedAuthor {id: row.id})
SET m.author = row.author
