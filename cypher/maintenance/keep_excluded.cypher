// Marks papers that the filters of an update exclude as part of the snapshot (not vanished).
//
// parameters:
//   $ids LIST<STRING>: ids of papers or SourceRecords, in order
//   $load INTEGER: identifies the update
UNWIND $ids AS id
CALL (id) {
  MATCH (n:Paper {id: id}) RETURN n
  UNION ALL
  MATCH (n:SourceRecord {id: id}) RETURN n
}
WITH n WHERE n.record_version IS NOT NULL
SET n.load = $load
