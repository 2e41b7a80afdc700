// Returns the given ids that belong to papers or SourceRecords.
//
// parameters:
//   $ids LIST<STRING>: ids
// returns:
//   id STRING: one of them
UNWIND $ids AS id
WITH id WHERE EXISTS { (:Paper {id: id}) } OR EXISTS { (:SourceRecord {id: id}) }
RETURN id
