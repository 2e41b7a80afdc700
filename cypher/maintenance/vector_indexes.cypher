// Returns the vector indexes of embedding spaces.
//
// returns:
//   name STRING: the index
SHOW VECTOR INDEXES YIELD name
WHERE name STARTS WITH 'paper_'
RETURN name
