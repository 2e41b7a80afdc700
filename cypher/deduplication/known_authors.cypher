// Returns the content of the curated lists so far.
//
// returns:
//   id STRING: an author
//   author STRING: the id that is kept; it may be the same
MATCH (m:MergedAuthor)
RETURN m.id AS id, m.author AS author
