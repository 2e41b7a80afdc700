// Returns the versions of Neo4j and Graph Data Science.
//
// It fails on a server without Graph Data Science, where the function is unknown.
//
// returns:
//   neo4j STRING: the version of Neo4j
//   gds STRING: the version of Graph Data Science
CALL dbms.components() YIELD name, versions
WITH name, versions WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS neo4j, gds.version() AS gds
