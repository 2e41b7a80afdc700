// Projects each citing paper with what it cites: papers with the same references are coupled.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   projection MAP: the description that the client of GDS reads; null if nothing matches
MATCH (citing:Paper&!Stub)-[:CITES]->(cited:Paper)
WITH citing, cited ORDER BY citing.id
RETURN gds.graph.project($graph, citing, cited) AS projection
