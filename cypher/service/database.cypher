// Returns the identity of the database; files made from the graph are stored under it.
//
// returns:
//   id STRING: an id that changes if the database is created again
CALL db.info() YIELD id
RETURN id
