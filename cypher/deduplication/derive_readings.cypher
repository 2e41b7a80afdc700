// Derives the readings of papers from the readings of their SourceRecords, each once.
//
// parameters:
//   $papers LIST<STRING>: ids of papers without readings
UNWIND CASE WHEN COUNT { MATCH (:Reader) } > 0 THEN $papers ELSE [] END AS id
MATCH (p:Paper {id: id})<-[:DESCRIBES]-(:SourceRecord)<-[n:NAMES]-(r:Reader)
WITH DISTINCT r, p, n.kind AS kind, n.at AS at, n.session AS session
FOREACH (_ IN CASE kind WHEN 'VIEWED' THEN [1] ELSE [] END |
  CREATE (r)-[:VIEWED {at: at, session: session}]->(p)
)
FOREACH (_ IN CASE kind WHEN 'SAVED' THEN [1] ELSE [] END |
  CREATE (r)-[:SAVED {at: at, session: session}]->(p)
)
