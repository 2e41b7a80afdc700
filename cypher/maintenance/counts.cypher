// Counts the content of the graph, from the counts that the database stores.
//
// Supplementary citations may come from stubs.
//
// returns:
//   papers INTEGER: papers with records
//   stubs INTEGER: cited papers without records
//   citations INTEGER: citations of papers with records
//   citations_to_stubs INTEGER: citations of stubs
//   authors INTEGER: authors
//   venues INTEGER: venues
//   fields INTEGER: fields
//   spaces LIST<STRING>: names of the embedding spaces, in order
RETURN
  COUNT { MATCH (:Paper) } - COUNT { MATCH (:Stub) } AS papers,
  COUNT { MATCH (:Stub) } AS stubs,
  COUNT { MATCH ()-[:CITES]->() } - COUNT { MATCH ()-[:CITES]->(:Stub) } AS citations,
  COUNT { MATCH ()-[:CITES]->(:Stub) } AS citations_to_stubs,
  COUNT { MATCH (:Author) } AS authors,
  COUNT { MATCH (:Venue) } AS venues,
  COUNT { MATCH (:Field) } AS fields,
  COLLECT { MATCH (s:EmbeddingSpace) RETURN s.property ORDER BY s.property } AS spaces
