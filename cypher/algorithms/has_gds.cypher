// Says whether the server has the Graph Data Science library: one row if it has, else none.
//
// returns:
//   name STRING: a function of it
SHOW FUNCTIONS YIELD name
WHERE name = 'gds.graph.project'
RETURN name
