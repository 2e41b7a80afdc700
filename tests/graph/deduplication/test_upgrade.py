"""Upgrade a database with merged papers from before SourceRecords without data loss."""

from dataclasses import replace

import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge, merge_status
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Abstract, Citation, Field, Labels, Paper, Reading
from tests.graph.canonical import canonical
from tests.graph.deduplication.test_merge import EXAMPLE, OPENALEX, restore_all

SUPPLEMENTS = [
    Citation("openalex:W1", "openalex:W9", ("method",), contexts=('they say "see"',)),
    Citation("doi:10.1/seq", "x:1"),
    Citation("x:2", "openalex:W2", influential=True),
    Abstract("arxiv:1706.1", "A longer abstract of the preprint."),
    Labels("openalex:W2", (Field("mesh", "D1", "Disease"),)),
    Reading("s", "doi:10.1234/x", "SAVED"),
]
ITEMS = [
    *(replace(item, citations=()) if isinstance(item, Paper) else item for item in EXAMPLE),
    *SUPPLEMENTS,
]
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


def test_merged_papers_are_the_same_after_the_upgrade_and_can_be_restored(graph: Database):
    load_papers(graph, ITEMS)
    before = canonical(graph)
    merge(graph)
    expected = canonical(graph)
    downgrade(graph)
    apply_schema(graph)
    assert canonical(graph) == expected
    restore_all(graph)
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert canonical(graph) == before


def test_records_and_supplements_that_waited_are_merged_after_the_upgrade(graph: Database):
    newer = replace(OPENALEX, abstract="We look deeper.", citations=())
    late = [newer, Abstract("openalex:W2", "An abstract."), Citation("openalex:W2", "z")]
    load_papers(graph, [*ITEMS, *late])
    merge(graph)
    expected = canonical(graph)
    graph.write("MATCH (n:!Schema) DETACH DELETE n")
    load_papers(graph, ITEMS)
    merge(graph)
    load_papers(graph, late)
    waiting = merge_status(graph).pending
    downgrade(graph)
    apply_schema(graph)
    assert merge_status(graph).pending == waiting == 2
    merge(graph)
    assert canonical(graph) == expected


@pytest.mark.parametrize("label", ["Unsettled", "Unwritten"])
def test_an_interrupted_merge_is_completed_after_the_upgrade(graph: Database, label: str):
    load_papers(graph, ITEMS)
    merge(graph)
    expected = canonical(graph)
    downgrade(graph)
    if label == "Unwritten":
        graph.write("MATCH (p:Paper {id: 'doi:10.1234/x'}) SET p:Unwritten REMOVE p.abstract")
    else:  # a citation was not yet moved to the canonical paper
        graph.write(
            "MATCH (x:Paper {id: 'x:2'})-[c:CITES]->(:Paper {id: 'openalex:W2'})"
            " MATCH (m:Merged {id: 'openalex:W2'}) SET m:Unsettled"
            " CREATE (x)-[new:CITES]->(m) SET new = properties(c) DELETE c"
        )
    apply_schema(graph)
    merge(graph)
    assert canonical(graph) == expected
