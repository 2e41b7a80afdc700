// Returns a page of readers ordered by id, with the papers that they viewed or saved, except stubs.
//
// parameters:
//   $after STRING: the last reader of the previous page, '' for the first page
//   $limit INTEGER: readers per page
//   $kind STRING: VIEWED or SAVED
// returns:
//   reader STRING: the reader
//   readings LIST<MAP>: paper, its sample_key, at (may be null), session (may be null); unordered
MATCH (reader:Reader)
WHERE reader.id > $after
WITH reader
ORDER BY reader.id
LIMIT $limit
RETURN reader.id AS reader,
       COLLECT {
         MATCH (reader)-[reading:VIEWED|SAVED]->(paper:Paper&!Stub)
         WHERE type(reading) = $kind
         RETURN {
           paper: paper.id,
           sample_key: paper.sample_key,
           at: reading.at,
           session: reading.session
         }
       } AS readings
ORDER BY reader
