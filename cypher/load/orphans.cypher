// Delete stubs, authors, venues and fields that changed records named and nothing names any more.
//
// parameters:
//   $stubs LIST<STRING>: ids of papers
//   $authors LIST<STRING>: ids
//   $venues LIST<STRING>: ids
//   $fields LIST<LIST<STRING>>: (scheme, id)
CALL () {
  UNWIND $stubs AS id
  MATCH (s:Paper&Stub {id: id}) WHERE NOT (s)--()
  DELETE s
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
  MATCH (f:Field {scheme: field[0], id: field[1]}) WHERE NOT (f)--()
  DELETE f
}
