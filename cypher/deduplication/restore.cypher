// Converts SourceRecords back to papers with their incoming citations and readings.
//
// Their contents must be written afterwards. If a concurrent load created a paper with the id, that
// paper remains.
//
// parameters:
//   $papers LIST<STRING>: ids of combined papers
// returns:
//   id STRING: the id of a SourceRecord
//   replaced BOOLEAN: true if another paper with a record has the id: do not write the content
UNWIND $papers AS id
MATCH (p:Paper {id: id})
CALL (p) {
  MATCH (p)<-[r:CITES|VIEWED|SAVED]-()
  DELETE r
}
CALL (p) {
  MATCH (p)-[r:CITES|NAMES|ABOUT]->()
  DELETE r
}
SET p.record_version = 0
REMOVE p.load, p.abstract_version, p.references_version
WITH p
MATCH (p)<-[d:DESCRIBES]-(s:SourceRecord)
OPTIONAL MATCH (other:Paper {id: s.id})
DELETE d
WITH p, s, other, coalesce(other, s) AS paper
CALL (s, paper) {
  MATCH (s)<-[n:NAMES]-(citing:Paper)
  MERGE (citing)-[c:CITES]->(paper)
  SET c = properties(n)
  DELETE n
}
CALL (s, paper) {
  MATCH (s)<-[n:NAMES]-(reader:Reader)
  FOREACH (_ IN CASE n.kind WHEN 'VIEWED' THEN [1] ELSE [] END |
    CREATE (reader)-[:VIEWED {at: n.at, session: n.session}]->(paper)
  )
  FOREACH (_ IN CASE n.kind WHEN 'SAVED' THEN [1] ELSE [] END |
    CREATE (reader)-[:SAVED {at: n.at, session: n.session}]->(paper)
  )
  DELETE n
}
SET paper.sample_key = s.sample_key
FOREACH (_ IN CASE WHEN other IS NULL THEN [1] ELSE [] END |
  SET s = {
    id: s.id, sample_key: s.sample_key,
    loaded: CASE
      WHEN s.record_version IS NOT NULL THEN coalesce(s.loaded, datetime({epochMillis: 0}))
    END
  }
  SET s:Paper:Stub
  REMOVE s:SourceRecord:Pending
)
WITH p, s, other, s.id AS id
CALL (s, other) {
  WITH * WHERE other IS NOT NULL
  DETACH DELETE s
}
RETURN id, coalesce(other <> p AND other.record_version IS NOT NULL, false) AS replaced
