"""Statements about submissions and reviewers look them up by keys, without a scan of all papers."""

import pytest

from specter_graph.graph.database import Database
from tests.graph.plans import SCANS, operators

ALL = SCANS | {"NodeIndexScan", "DirectedRelationshipTypeScan", "UndirectedRelationshipTypeScan"}
JOINS = {"NodeHashJoin", "LeftOuterHashJoin", "ValueHashJoin"}
"""Joins that read both sides in full, which the planner underestimates in a small graph."""

EXPECTED = {"assigned_of", "assignments_of", "bids_of"}
"""Statements that read a whole venue, in either direction."""
STATEMENTS = [
    "archive_papers", "archive_texts", "owners", "remove_archives",
    "assigned", "assigned_of", "assignments_of", "best_affinities", "bids",
    "bids_of", "change_assigned", "citations_of", "conflicts_advisor",
    "conflicts_author", "conflicts_coauthor", "conflicts_declared", "declared",
    "forget_assigned", "forget_bids", "forget_declared", "known_submissions", "known_venue",
    "paths", "people", "references", "references_of", "remove_reviewers", "remove_submissions",
    "retire_reviewers", "reviewer_papers", "reviewers", "reviewers_of", "score_summary",
    "submissions", "submissions_of", "venue_property", "write_score_summary",
]  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_named_nodes_are_looked_up(graph: Database, name: str):
    result = operators(graph, f"reviewing/{name}")
    # The product with a venue adds one row for each submission.
    joins = set() if name in EXPECTED else JOINS
    wrong = (ALL | joins) - {"CartesianProduct"}
    assert wrong.isdisjoint(result), result


def test_affiliations_are_compared_only_between_authors_and_reviewers(graph: Database):
    result = operators(graph, "reviewing/conflicts_affiliation")
    assert "NodeHashJoin" in result
    assert ALL.isdisjoint(result), result
