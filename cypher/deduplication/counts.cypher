// How many SourceRecords there are, and how many are pending, from the counts that the database keeps.
//
// returns:
//   ids INTEGER: members of combined papers
//   waiting INTEGER: those that wait for the next merge
RETURN COUNT { MATCH (:SourceRecord) } AS ids, COUNT { MATCH (:Pending) } AS waiting
