// Stores records and supplements until the next merge.
//
// parameters:
//   $records LIST<MAP>: id, load, record, pending_record (JSON, null for no change), pending_items
//     LIST<STRING> (JSON, to be added); in the order of the ids
UNWIND $records AS row
MATCH (s:SourceRecord {id: row.id})
SET s.load = row.load, s.record_version = row.record_version
WITH s, row
WHERE row.pending_record IS NOT NULL OR row.pending_items <> []
SET s:Pending, s.pending_record = coalesce(row.pending_record, s.pending_record)
WITH s, row
WHERE row.pending_items <> []
SET s.pending_items = coalesce(s.pending_items, []) + row.pending_items
