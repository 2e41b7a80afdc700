"""The layout of merged papers before SourceRecords."""

from specter_graph.graph.database import Database

OLD_LAYOUT = """
MATCH (n:Paper|SourceRecord)
SET n.draw = n.sample_key, n.record = n.record_version, n.abstract_record = n.abstract_version,
  n.references_record = n.references_version, n.abstract_apart = n.abstract_supplementary
REMOVE n.sample_key, n.record_version, n.abstract_version, n.references_version,
  n.abstract_supplementary;
MATCH ()-[c:CITES|NAMES]->() SET c.apart = c.supplement_rank REMOVE c.supplement_rank;
MATCH ()-[a:ABOUT]->() SET a.apart = a.supplementary REMOVE a.supplementary;
MATCH (r:Reader)-[new:SAVED]->(p)
CREATE (r)-[old:READ]->(p) SET old = properties(new) DELETE new;
MATCH ()-[n:NAMES {kind: 'SAVED'}]->() SET n.kind = 'READ';
CREATE CONSTRAINT merged_id IF NOT EXISTS FOR (m:Merged) REQUIRE m.id IS UNIQUE;
MATCH (x)-[r:CITES|VIEWED|READ]->(p:Paper)<-[:DESCRIBES]-()
WITH DISTINCT x, r, p
WITH r, p, COLLECT {
    MATCH (x)-[n:NAMES]->(s)-[:DESCRIBES]->(p)
    WHERE coalesce(n.kind, 'CITES') = type(r) AND coalesce(n.at, '') = coalesce(r.at, '')
    RETURN s.id ORDER BY s.id
  } AS ids, head(COLLECT { MATCH (x)-[n:NAMES]->()-[:DESCRIBES]->(p) RETURN n.apart }) AS apart
SET r.named = CASE WHEN ids <> [p.id] THEN ids END, r.apart = apart,
  r.tellings = CASE WHEN type(r) = 'CITES' AND size(ids) > 1 THEN '{}' END;
MATCH ()-[n:NAMES]->() DELETE n;
MATCH (s:SourceRecord)-[d:DESCRIBES]->(p)
CREATE (s)-[:INTO]->(p)
SET s:Merged, s.told = replace(s.json, '"details":{', '"telling":{'), s.items = s.pending_items,
  s.waiting = '["Paper",' + s.pending_record + ']'
REMOVE s:SourceRecord, s.json, s.pending_record, s.pending_items
DELETE d;
MATCH (s:Pending) SET s:Waiting REMOVE s:Pending;
DROP CONSTRAINT source_record_id IF EXISTS;
MATCH (s:Schema) WHERE s.version >= 11 DELETE s;
"""


def downgrade(graph: Database) -> None:
    """Convert the database to the layout of migration 10."""
    for text in OLD_LAYOUT.split(";\n"):
        if text.strip():
            graph.write(text)
    assert graph.read("MATCH (m:Merged) RETURN count(m) AS merged") != [{"merged": 0}]
