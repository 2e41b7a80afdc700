"""Statements look papers up by their ids, without a scan of all papers.

Pages of ids start after the previous page and stop when they are full, with any statistics.
"""

import pytest

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from tests.graph.plans import SCANS, operators, operators_of


@pytest.mark.parametrize(
    "name",
    [
        "export/ids",
        "export/papers",
        "maintenance/make_stubs",
        "maintenance/corpus_page",
        "maintenance/known_papers",
        "maintenance/loads_of",
        "maintenance/delete_readings",
    ],
)
def test_papers_are_looked_up_by_their_ids(graph: Database, name: str):
    assert SCANS.isdisjoint(operators(graph, name))


def test_papers_around_a_paper_are_visited_once(graph: Database):
    text = statement("export/around").filled(hops="3")
    plan = operators_of(graph, text)
    assert SCANS.isdisjoint(plan)
    assert "VarLengthExpand(Pruning,BFS,All)" in plan


@pytest.mark.parametrize(
    "name",
    [
        "export/ids",
        "triplets/training_ids",
        "maintenance/corpus_page",
    ],
)
def test_ids_are_paged_through_in_the_order_of_the_index(graph: Database, name: str):
    plan = operators(graph, name)
    assert plan.count("NodeUniqueIndexSeekByRange") == 1
    assert (SCANS | {"Sort", "Top"}).isdisjoint(plan)
