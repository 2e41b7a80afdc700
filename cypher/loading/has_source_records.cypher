// Whether any papers have been combined, from the counts that the database keeps.
//
// returns:
//   present BOOLEAN: there are SourceRecords
RETURN COUNT { MATCH (:SourceRecord) } > 0 AS present
