// Record that a migration has been applied; what is recorded stays.
//
// parameters:
//   $version INTEGER: the number in the file's name
//   $name STRING: the rest of the file's name
//   $checksum STRING: SHA-256 of the file
//   $program STRING: the version of specter-graph that applies it
MERGE (s:Schema {version: $version})
  ON CREATE SET s.name = $name, s.applied = datetime(), s.program = $program
SET s.checksum = coalesce(s.checksum, $checksum)
