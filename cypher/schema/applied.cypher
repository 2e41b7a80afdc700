// The migrations that this database has had.
//
// returns:
//   version INTEGER: the number in the file's name
MATCH (s:Schema) RETURN s.version AS version
