// Creates readings of papers that readers viewed or saved, each once.
//
// parameters:
//   $papers LIST<MAP>: id, sample_key; in the order of the ids
//   $readers LIST<MAP>: id, kind, readings LIST<MAP> of paper (number, from 0), at, session;
//     in order
// returns:
//   created INTEGER: number of new readings
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
WITH collect(p) AS papers
UNWIND $readers AS row
MERGE (r:Reader {id: row.id})
WITH papers, r, row
UNWIND row.readings AS reading
WITH papers[reading.paper] AS p, r, row.kind AS kind, reading.at AS at, reading.session AS session
CALL (r, p, kind, at, session) {
  WITH * WHERE kind = 'VIEWED' AND NOT EXISTS {
    (r)-[v:VIEWED]->(p)
    WHERE coalesce(v.at, '') = coalesce(at, '')
      AND coalesce(v.session, '') = coalesce(session, '')
  }
  CREATE (r)-[:VIEWED {at: at, session: session}]->(p)
  RETURN count(*) AS views
}
CALL (r, p, kind, at, session) {
  WITH * WHERE kind = 'SAVED' AND NOT EXISTS {
    (r)-[v:SAVED]->(p)
    WHERE coalesce(v.at, '') = coalesce(at, '')
      AND coalesce(v.session, '') = coalesce(session, '')
  }
  CREATE (r)-[:SAVED {at: at, session: session}]->(p)
  RETURN count(*) AS reads
}
RETURN sum(views + reads) AS created
