// Returns the records of ids, with the papers that they enrich.
//
// parameters:
//   $ids LIST<STRING>: ids
//   $enriches STRING: the scheme that marks a record that `enrich` has added
// returns:
//   id STRING: an id with a record
//   enriches LIST<STRING>: ids of papers; empty for a merged paper
//   paper STRING?: the merged paper
//   json STRING?: the content of a merged paper
//   pending_record STRING?: a later record of a merged paper
UNWIND $ids AS id
CALL (id) {
  MATCH (p:Paper&!Stub {id: id})
  WHERE NOT EXISTS { (p)<-[:DESCRIBES]-() }
  RETURN null AS json, null AS pending_record, null AS paper,
    COLLECT { MATCH (p)<-[:OF]-(i:Identifier {scheme: $enriches}) RETURN i.value } AS enriches
  UNION
  MATCH (s:SourceRecord {id: id})-[:DESCRIBES]->(p)
  WHERE s.record_version IS NOT NULL
  RETURN s.json AS json, s.pending_record AS pending_record, p.id AS paper, [] AS enriches
}
RETURN id, enriches, paper, json, pending_record
