// How much is merged, and how much waits for the next merge, from the counts that the database keeps.
//
// returns:
//   ids INTEGER: ids that merged papers were told under, their own among them
//   waiting INTEGER: those of them under which something was told since
RETURN COUNT { MATCH (:Merged) } AS ids, COUNT { MATCH (:Waiting) } AS waiting
