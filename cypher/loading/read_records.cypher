// Creates readings of SourceRecords that readers viewed or saved, each once.
//
// parameters:
//   $readings LIST<MAP>: reader, paper (id of a SourceRecord), kind, at, session; in order
// returns:
//   created INTEGER: number of new readings
UNWIND $readings AS row
MATCH (s:SourceRecord {id: row.paper})
MERGE (r:Reader {id: row.reader})
WITH r, s, row
WHERE NOT EXISTS {
  (r)-[n:NAMES {kind: row.kind}]->(s)
  WHERE coalesce(n.at, '') = coalesce(row.at, '')
    AND coalesce(n.session, '') = coalesce(row.session, '')
}
CREATE (r)-[:NAMES {kind: row.kind, at: row.at, session: row.session}]->(s)
RETURN count(*) AS created
