// The indexes that reading and writing by key needs.
//
// returns:
//   name STRING: the index
SHOW INDEXES YIELD name, type WHERE type = 'RANGE' RETURN name
