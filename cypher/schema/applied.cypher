// The migrations that this database has had.
//
// returns:
//   version INTEGER: the number in the file's name
//   name STRING: the rest of the file's name
//   checksum STRING: SHA-256 of the file; null where a program before checksums applied it
//   program STRING: the version of specter-graph that applied it; null likewise
MATCH (s:Schema)
RETURN s.version AS version, s.name AS name, s.checksum AS checksum, s.program AS program
