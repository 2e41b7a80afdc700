// Projects each paper with a record with those that cite it: papers cited together are co-cited.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   projection MAP: what the client of GDS reads of it; null where nothing matches
MATCH (citing:Paper)-[:CITES]->(cited:Paper&!Stub)
WITH citing, cited ORDER BY cited.id
RETURN gds.graph.project($graph, cited, citing) AS projection
