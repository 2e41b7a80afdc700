// Writes assigned pairs.
//
// parameters:
//   $assigned LIST<MAP>: author (the reviewer's id), submission (its id), affinity, locked
UNWIND $assigned AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
CREATE (r)-[:ASSIGNED {affinity: row.affinity, locked: row.locked}]->(s)
