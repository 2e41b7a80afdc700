// Returns the SourceRecords of combined papers, and locks them.
//
// parameters:
//   $papers LIST<STRING>: ids of papers; papers that are not combined are ignored
// returns:
//   paper STRING: the combined paper
//   id STRING: the id of a SourceRecord
//   sample_key INTEGER: decides the split of the record
//   record_version INTEGER: the rank and digest of its latest record; null for a stub
//   load INTEGER: the load that wrote the record
//   json STRING: the content of the graph under this id before it was combined with others
//   pending_record STRING: a later record, as JSON; may be null
//   pending_items LIST<STRING>: later supplements, as JSON; may be null
UNWIND $papers AS paper
MATCH (p:Paper {id: paper})<-[:DESCRIBES]-(s:SourceRecord)
SET s.sample_key = s.sample_key
RETURN p.id AS paper, s.id AS id, s.sample_key AS sample_key, s.record_version AS record_version,
  s.load AS load, s.json AS json, s.pending_record AS pending_record, s.pending_items AS pending_items
ORDER BY id
