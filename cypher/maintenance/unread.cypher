// Delete some of the readings of a reader.
//
// parameters:
//   $id STRING: the reader
//   $rows INTEGER: how many
// returns:
//   papers LIST<STRING>: ids of the papers, as the readings named them
//   readings INTEGER: how many were deleted
MATCH (:Reader {id: $id})-[v:VIEWED|READ]->(p)
WITH v, coalesce(v.named, [p.id]) AS named LIMIT $rows
DELETE v
RETURN reduce(ids = [], some IN collect(named) | ids + some) AS papers, count(*) AS readings
