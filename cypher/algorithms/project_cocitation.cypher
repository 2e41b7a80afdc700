// Projects papers with a record and the papers that cite them, for co-citations.
//
// parameters:
//   $graph STRING: the name of the projection
// returns:
//   projection MAP: the description that the client of GDS reads; null if nothing matches
MATCH (citing:Paper)-[:CITES]->(cited:Paper&!Stub)
WITH citing, cited ORDER BY cited.id
RETURN gds.graph.project($graph, cited, citing) AS projection
