// Note that an update came upon papers that its filters leave out: they have not vanished.
//
// parameters:
//   $ids LIST<STRING>: ids of papers, perhaps of SourceRecords, in order
//   $load INTEGER: names the update
UNWIND $ids AS id
CALL (id) {
  MATCH (n:Paper {id: id}) RETURN n
  UNION ALL
  MATCH (n:SourceRecord {id: id}) RETURN n
}
WITH n WHERE n.record_version IS NOT NULL
SET n.load = $load
