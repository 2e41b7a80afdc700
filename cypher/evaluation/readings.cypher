// A page of readers in order, each with the papers that it viewed or keeps; stubs are left out.
//
// parameters:
//   $after STRING: the last reader of the page before, '' for the first
//   $limit INTEGER: readers a page
//   $kind STRING: VIEWED or READ
// returns:
//   reader STRING: the reader
//   readings LIST<MAP>: paper, at (may be null), session (may be null); in no order
MATCH (reader:Reader)
WHERE reader.id > $after
WITH reader
ORDER BY reader.id
LIMIT $limit
RETURN reader.id AS reader,
       COLLECT {
         MATCH (reader)-[reading:VIEWED|READ]->(paper:Paper&!Stub)
         WHERE type(reading) = $kind
         RETURN {paper: paper.id, at: reading.at, session: reading.session}
       } AS readings
ORDER BY reader
