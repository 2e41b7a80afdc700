// Record that a migration has been applied.
//
// parameters:
//   $version INTEGER: the number in the file's name
//   $name STRING: the rest of the file's name
MERGE (s:Schema {version: $version})
  ON CREATE SET s.name = $name, s.applied = datetime()
