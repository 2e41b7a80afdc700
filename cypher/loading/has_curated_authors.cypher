// Returns whether there are curated lists of authors, from the counts of the database.
//
// returns:
//   present BOOLEAN: true if there are
RETURN COUNT { MATCH (:MergedAuthor) } > 0 AS present
