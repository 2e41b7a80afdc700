// Deletes stubs, authors, venues, fields and identifiers without relationships.
//
// A stub with a SourceRecord is deleted by the next merge.
//
// parameters:
//   $stubs LIST<STRING>: ids of papers or of SourceRecords
//   $authors LIST<STRING>: ids
//   $venues LIST<STRING>: ids
//   $fields LIST<LIST<STRING>>: (scheme, id)
//   $identifiers LIST<LIST<STRING>>: (scheme, value)
// returns:
//   deleted LIST<STRING>: ids of the deleted stubs
CALL () {
  UNWIND $stubs AS id
  MATCH (s:Paper&Stub {id: id}) WHERE NOT (s)--() AND s.abstract IS NULL
  DELETE s
  RETURN collect(id) AS deleted
}
CALL () {
  UNWIND $stubs AS id
  MATCH (s:SourceRecord {id: id}) WHERE s.record_version IS NULL AND NOT EXISTS { (s)<-[:NAMES]-() }
  SET s:Pending
}
CALL () {
  UNWIND $authors AS id
  MATCH (a:Author {id: id}) WHERE NOT (a)--()
  DELETE a
}
CALL () {
  UNWIND $venues AS id
  MATCH (v:Venue {id: id}) WHERE NOT (v)--()
  DELETE v
}
CALL () {
  UNWIND $fields AS field
  MATCH (f:Field {scheme: field[0], id: field[1]})
  WHERE f.listed IS NULL AND NOT (f)--()
  DELETE f
}
CALL () {
  UNWIND $identifiers AS identifier
  MATCH (i:Identifier {scheme: identifier[0], value: identifier[1]}) WHERE NOT (i)--()
  DELETE i
}
RETURN deleted
