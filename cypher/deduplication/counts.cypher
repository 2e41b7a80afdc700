// Counts SourceRecords and pending ones, from the counts that the database stores.
//
// returns:
//   members INTEGER: members of combined papers
//   pending INTEGER: members that wait for the next merge
RETURN COUNT { MATCH (:SourceRecord) } AS members, COUNT { MATCH (:Pending) } AS pending
