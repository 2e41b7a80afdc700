// Projects each paper with a record with those that cite it: papers cited together are co-cited.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   papers INTEGER: how many; null where there is none
MATCH (citing:Paper)-[:CITES]->(cited:Paper&!Stub)
WITH citing, cited ORDER BY cited.id
WITH gds.graph.project($graph, cited, citing) AS projection
RETURN projection.nodeCount AS papers
