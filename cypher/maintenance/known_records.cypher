// Returns the records of ids, with the papers that they enrich.
//
// parameters:
//   $ids LIST<STRING>: ids
//   $enriches STRING: the scheme that marks a record that `enrich` has added
// returns:
//   id STRING: an id with a record
//   enriches LIST<STRING>: ids of papers; empty for a merged paper
//   json STRING?: the content of a merged paper
//   pending_record STRING?: a later record of a merged paper
UNWIND $ids AS id
CALL (id) {
  MATCH (p:Paper&!Stub {id: id})
  WHERE NOT EXISTS { (p)<-[:DESCRIBES]-() }
  RETURN null AS json, null AS pending_record,
    COLLECT { MATCH (p)<-[:OF]-(i:Identifier {scheme: $enriches}) RETURN i.value } AS enriches
  UNION
  MATCH (s:SourceRecord {id: id})
  WHERE s.record_version IS NOT NULL
  RETURN s.json AS json, s.pending_record AS pending_record, [] AS enriches
}
RETURN id, enriches, json, pending_record
