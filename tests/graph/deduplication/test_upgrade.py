"""Upgrade a database with merged papers from before SourceRecords without data loss."""

from dataclasses import replace

import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge, merge_status
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Abstract, Citation, Field, Labels, Paper, Reading
from tests.graph.canonical import canonical
from tests.graph.deduplication.example_records import EXAMPLE, OPENALEX, restore_all
from tests.graph.deduplication.old_layout import downgrade

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
