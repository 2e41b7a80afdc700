// Derives the citations of papers from the citations of their SourceRecords.
//
// Intents and contexts are united; a citation is influential if any of them is.
//
// parameters:
//   $citing LIST<STRING>: ids of citing papers, whose citations are derived
//   $cited LIST<STRING>: ids of cited papers, whose incoming citations are derived
CALL () {
  UNWIND $citing AS id
  MATCH (p:Paper {id: id})-[n:NAMES]->(:SourceRecord)-[:DESCRIBES]->(q:Paper)
  RETURN p, q, n
  UNION
  UNWIND $cited AS id
  MATCH (q:Paper {id: id})<-[:DESCRIBES]-(:SourceRecord)<-[n:NAMES]-(p:Paper)
  RETURN p, q, n
}
WITH p, q, collect(n) AS names
MERGE (p)-[c:CITES]->(q)
WITH c, names
WHERE c.intents IS NOT NULL OR c.influential IS NOT NULL OR c.contexts IS NOT NULL
  OR any(
    n IN names WHERE n.intents IS NOT NULL OR n.influential IS NOT NULL OR n.contexts IS NOT NULL
  )
SET c.influential = CASE
    WHEN any(n IN names WHERE n.influential) THEN true
    WHEN any(n IN names WHERE n.influential IS NOT NULL) THEN false
  END,
  c.intents = CASE size(names)
    WHEN 1 THEN names[0].intents
    ELSE nullIf(COLLECT {
      UNWIND names AS n UNWIND n.intents AS text RETURN DISTINCT text ORDER BY text
    }, [])
  END,
  c.contexts = CASE size(names)
    WHEN 1 THEN names[0].contexts
    ELSE nullIf(COLLECT {
      UNWIND names AS n UNWIND n.contexts AS text RETURN DISTINCT text ORDER BY text
    }, [])
  END
