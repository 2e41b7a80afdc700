// Records that migrations were applied; existing records are unchanged.
//
// parameters:
//   $migrations LIST<MAP>: rows {version INTEGER, name STRING}: the number in the file's name, and
//     the rest of that name
//   $program STRING: the version of specter-graph that applies them
UNWIND $migrations AS row
MERGE (s:Schema {version: row.version})
  ON CREATE SET s.name = row.name, s.applied = datetime(), s.program = $program
