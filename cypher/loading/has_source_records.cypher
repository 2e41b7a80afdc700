// Returns whether any papers have been combined, from the counts of the database.
//
// returns:
//   present BOOLEAN: true if there are SourceRecords
RETURN COUNT { MATCH (:SourceRecord) } > 0 AS present
