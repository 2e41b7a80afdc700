// Returns the migrations that were applied to this database.
//
// returns:
//   version INTEGER: the number in the file's name
//   name STRING: the rest of the file's name
//   program STRING: the version of specter-graph that applied it; null for the first versions
MATCH (s:Schema)
RETURN s.version AS version, s.name AS name, s.program AS program
