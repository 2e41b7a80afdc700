// Returns a page of the ids of readers with a prefix.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first page
//   $limit INTEGER: readers per page
//   $corpus STRING: the prefix without its colon
// returns:
//   ids LIST<STRING>: ids of readers, in order
MATCH (reader:Reader)
WHERE reader.id > $after AND reader.id STARTS WITH $corpus + ':'
WITH reader.id AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids
