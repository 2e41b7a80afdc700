"""Statements look papers up by their ids, without a scan of all papers.

Pages of ids start after the previous page and stop when they are full, with any statistics.
"""

import pytest

from specter_graph.graph.database import Database
from tests.graph.plans import SCANS, operators


@pytest.mark.parametrize(
    "name",
    [
        "export/ids",
        "export/papers",
        "export/neighbors",
        "maintenance/make_stubs",
        "maintenance/corpus_page",
        "maintenance/known_papers",
        "maintenance/loads_of",
        "maintenance/delete_readings",
    ],
)
def test_papers_are_looked_up_by_their_ids(graph: Database, name: str):
    assert SCANS.isdisjoint(operators(graph, name))


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
