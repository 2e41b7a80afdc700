// Derives the citations of papers from the citations of their SourceRecords.
//
// Intents and contexts are united; a citation is influential if any of them is. Existing citations
// are read with the others and compared by grouping: MERGE would search the relationships of both
// papers for each citation, which takes three times as long.
//
// parameters:
//   $citing LIST<STRING>: ids of citing papers, whose citations are derived
//   $cited LIST<STRING>: ids of cited papers, whose incoming citations are derived
CALL () {
  UNWIND $citing AS id
  MATCH (p:Paper {id: id})-[n:NAMES]->(:SourceRecord)-[:DESCRIBES]->(q:Paper)
  RETURN p, q, n, null AS c
  UNION
  UNWIND $cited AS id
  MATCH (q:Paper {id: id})<-[:DESCRIBES]-(:SourceRecord)<-[n:NAMES]-(p:Paper)
  RETURN p, q, n, null AS c
  UNION
  UNWIND $citing AS id
  MATCH (p:Paper {id: id})-[c:CITES]->(q:Paper)
  RETURN p, q, null AS n, c
  UNION
  UNWIND $cited AS id
  MATCH (q:Paper {id: id})<-[c:CITES]-(p:Paper)
  RETURN p, q, null AS n, c
}
WITH p, q, collect(n) AS names, collect(c) AS known
WHERE names <> []
FOREACH (_ IN CASE known WHEN [] THEN [1] ELSE [] END |
  CREATE (p)-[:CITES]->(q)
)
WITH p, q, names, known
WHERE any(
  n IN names + known WHERE n.intents IS NOT NULL OR n.influential IS NOT NULL
    OR n.contexts IS NOT NULL
)
MATCH (p)-[c:CITES]->(q)
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
