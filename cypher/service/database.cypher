// Which database this is: what is made of it is kept under this name.
//
// returns:
//   id STRING: the same as long as the database is not made anew
CALL db.info() YIELD id
RETURN id
