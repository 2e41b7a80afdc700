// Delete some of the readings of a reader.
//
// parameters:
//   $id STRING: the reader
//   $rows INTEGER: how many
// returns:
//   papers LIST<STRING>: ids of the papers and SourceRecords
//   readings INTEGER: how many were deleted
MATCH (:Reader {id: $id})-[v:VIEWED|SAVED|NAMES]->(p)
WITH v, p.id AS id LIMIT $rows
DELETE v
RETURN collect(id) AS papers, count(*) AS readings
