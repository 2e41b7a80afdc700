// Returns the range indexes, with which nodes are looked up by key.
//
// returns:
//   name STRING: an index
SHOW INDEXES YIELD name, type WHERE type = 'RANGE' RETURN name
