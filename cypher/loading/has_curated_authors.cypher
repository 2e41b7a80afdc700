// Whether curated lists have named authors, from the counts that the database keeps.
//
// returns:
//   present BOOLEAN: they have
RETURN COUNT { MATCH (:MergedAuthor) } > 0 AS present
