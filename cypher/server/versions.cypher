// The versions of a server and of its Graph Data Science.
//
// Fails on a server without Graph Data Science: the function is not known there.
//
// returns:
//   neo4j STRING: the version of Neo4j
//   gds STRING: the version of Graph Data Science
CALL dbms.components() YIELD name, versions
WITH name, versions WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS neo4j, gds.version() AS gds
