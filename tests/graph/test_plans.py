"""Statements that name papers by their ids look them up: none goes through all papers."""

import pytest

from specter_graph.graph.connection import Database
from tests.graph.plans import operators

SCANS = {"AllNodesScan", "NodeByLabelScan", "UnionNodeByLabelsScan", "CartesianProduct"}


@pytest.mark.parametrize(
    "name",
    [
        "export/ids",
        "export/papers",
        "export/neighbours",
        "upkeep/unwrite",
        "upkeep/corpus_page",
        "upkeep/parts_of",
        "upkeep/known_papers",
        "upkeep/loads_of",
        "upkeep/unread",
    ],
)
def test_papers_are_found_by_their_ids(graph: Database, name: str):
    assert SCANS.isdisjoint(operators(graph, name))
