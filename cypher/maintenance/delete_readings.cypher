// Deletes some of the readings of a reader.
//
// parameters:
//   $id STRING: the reader
//   $rows INTEGER: maximum number of readings
// returns:
//   papers LIST<STRING>: ids of the papers and SourceRecords
//   readings INTEGER: number of deleted readings
MATCH (:Reader {id: $id})-[v:VIEWED|SAVED|NAMES]->(p)
WITH v, p.id AS id LIMIT $rows
DELETE v
RETURN collect(id) AS papers, count(*) AS readings
