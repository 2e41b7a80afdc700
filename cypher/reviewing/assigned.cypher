// Writes assigned pairs.
//
// parameters:
//   $name STRING: the name of the assignment
//   $assigned LIST<MAP>: author (the reviewer's id), submission (its id), affinity, locked
UNWIND $assigned AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
CREATE (r)-[:ASSIGNED {name: $name, affinity: row.affinity, locked: row.locked}]->(s)
