"""Refuse contradictory problems with the submissions and reviewers concerned; apply bids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.problem import (
    AssignmentProblem,
    ProblemError,
    with_bids,
)
from specter_graph.matching.assignment.venue_assignment import AssignSettings

AFFINITY = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("fields", "message", "papers", "reviewers"),
    [
        ({"affinity": np.array([[0, np.nan], [2000, 0]])}, "2 affinities", [0, 1], [1, 0]),
        ({"minimum": [0, 3, 0], "maximum": [2, 2, 2]}, "load of 1", [], [1]),
        ({"locked": [[1, 2]], "allowed": np.eye(2, 3, dtype=bool)}, "forbidden", [1], [2]),
    ],
)
def test_a_contradiction_names_its_submissions_and_reviewers(fields, message, papers, reviewers):
    with pytest.raises(ProblemError, match=message) as error:
        AssignmentProblem(**{"affinity": AFFINITY, "needed": 1, "maximum": 2} | fields)
    assert error.value.papers.tolist() == papers
    assert error.value.reviewers.tolist() == reviewers


@given(st.floats(-2, 1), st.floats(-2, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_a_score_increases_with_affinity_and_bid_within_its_range(low, high, no, yes):
    affinity = np.array([sorted([low, high])], np.float32)
    for bids in ([no, no], [yes, yes]):
        scores = with_bids(affinity, [[0, 0], [0, 1]], bids)[0]
        assert affinity.min(initial=-1) <= scores[0] <= scores[1] <= 1
    scores = with_bids(affinity[:, [1, 1]], [[0, 0], [0, 1]], sorted([no, yes]))[0]
    assert scores[0] <= scores[1]


def test_an_eager_bid_takes_the_fourth_root_and_no_bid_changes_nothing():
    affinity = np.full((1, 3), 0.5, np.float32)
    scores = with_bids(affinity, [[0, 0], [0, 1]], [1, -1])
    np.testing.assert_allclose(scores, [[2 * 0.75**0.25 - 1, 2 * 0.75**4 - 1, 0.5]], rtol=1e-6)
    assert (affinity == 0.5).all()


def test_a_weight_of_bids_below_1_is_refused():
    with pytest.raises(InputError, match=r"the weight of bids is 0\.5"):
        AssignSettings(bid_weight=0.5)
