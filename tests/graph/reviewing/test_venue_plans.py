"""Statements about submissions and reviewers look them up: none goes through all papers."""

import pytest

from specter_graph.graph.database import Database
from tests.graph.plans import operators
from tests.graph.test_plans import SCANS

ALL = SCANS | {"NodeIndexScan", "DirectedRelationshipTypeScan", "UndirectedRelationshipTypeScan"}
JOINS = {"NodeHashJoin", "LeftOuterHashJoin", "ValueHashJoin"}
"""Both sides are read whole, which the planner takes for nothing while a graph is small."""

EXPECTED = {"assigned", "assignments_of", "bids_of"}
"""They read all of a venue, from whichever side."""
STATEMENTS = [
    "archive_papers", "archive_texts", "owners", "remove_archives",
    "assign", "assigned", "assignments_of", "best_affinities", "bids",
    "bids_of", "change_assigned", "changes", "citations_of", "conflicts_advisor",
    "conflicts_author", "conflicts_coauthor", "conflicts_declared", "declared",
    "forget_assigned", "forget_bids", "forget_declared", "known_submissions", "known_venue",
    "paths", "people", "references", "references_of", "remove_reviewers", "remove_submissions",
    "reviewer_papers", "reviewers", "reviewers_of", "score_summary", "submissions",
    "submissions_of", "write_score_summary",
]  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_named_is_looked_up(graph: Database, name: str):
    result = operators(graph, f"reviewing/{name}")
    # A venue beside some submissions is one row beside each.
    joins = set() if name in EXPECTED else JOINS
    wrong = (ALL | joins) - {"CartesianProduct"}
    assert wrong.isdisjoint(result), result


def test_affiliations_of_both_sides_meet_and_nobody_else_is_looked_at(graph: Database):
    result = operators(graph, "reviewing/conflicts_affiliation")
    assert "NodeHashJoin" in result
    assert ALL.isdisjoint(result), result
