// How much is merged, from the counts that the database keeps: it takes no time.
//
// returns:
//   papers INTEGER: ids under which merged papers were told
//   authors INTEGER: ids of authors that curated lists name
RETURN COUNT { MATCH (:Merged) } AS papers, COUNT { MATCH (:MergedAuthor) } AS authors
