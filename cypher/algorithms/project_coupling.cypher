// Projects each citing paper with what it cites: papers with the same references are coupled.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   papers INTEGER: how many; null where there is none
MATCH (citing:Paper&!Stub)-[:CITES]->(cited:Paper)
WITH citing, cited ORDER BY citing.id
WITH gds.graph.project($graph, citing, cited) AS projection
RETURN projection.nodeCount AS papers
