"""Assign the worst-off submission first."""

from itertools import combinations, product

import numpy as np
import pytest

from specter_graph.matching.assignment.optimal import assign, assign_fairly
from specter_graph.matching.assignment.problem import AssignmentProblem, GroupLimit, ProblemError


def fairest(problem):
    """Return the highest worst-off mean of any assignment."""
    teams = list(combinations(range(problem.reviewers), int(problem.needed[0])))
    best = -np.inf
    for choice in product(teams, repeat=problem.papers):
        load = np.bincount(np.ravel(choice), minlength=problem.reviewers)
        if (load <= problem.maximum).all():
            sums = [problem.affinity[paper, list(team)].sum() for paper, team in enumerate(choice)]
            best = max(best, min(sums))
    return best


def test_a_submission_is_not_sacrificed_for_the_total():
    problem = AssignmentProblem(np.array([[1.0, 0.6], [0.5, 0.0]]), 1, 1)
    assert assign(problem).affinity.tolist() == pytest.approx([0.6, 0.5])
    problem = AssignmentProblem(np.array([[1.0, 0.4], [0.5, 0.0]]), 1, 1)
    assert assign(problem).affinity.tolist() == pytest.approx([1.0, 0.0])
    assert assign_fairly(problem).affinity.tolist() == pytest.approx([0.4, 0.5])


def test_the_worst_off_paper_has_no_less_than_the_published_share_of_the_best_possible():
    for seed in range(25):
        affinity = np.random.default_rng(seed).beta(0.5, 1, size=(4, 4)).astype(np.float32)
        problem = AssignmentProblem(affinity, 2, 2)
        fair, total = assign_fairly(problem), assign(problem)
        assert fair.affinity.min() >= total.affinity.min() - 1e-6
        # Theorem 1: at least 1 / needed of the best possible.
        assert fair.affinity.min() >= fairest(problem) / 2


def test_with_one_reviewer_per_submission_the_worst_off_is_optimal():
    for seed in range(25):
        affinity = np.random.default_rng(seed).uniform(size=(4, 4)).astype(np.float32)
        problem = AssignmentProblem(affinity, 1, 1)
        assert assign_fairly(problem).affinity.min() == pytest.approx(fairest(problem), abs=2e-6)


@pytest.mark.parametrize("seniors", [0, 1])
def test_a_fair_assignment_meets_every_demand(skewed, seniors):
    senior = np.arange(60) % 3 == 0
    allowed = np.random.default_rng(0).random((60, 60)) < 0.9
    locked = np.argwhere(allowed)[::999]
    problem = AssignmentProblem(
        skewed(60, 60, seed=1), 3, 4, allowed, 2, locked, senior=senior, seniors_per_paper=seniors
    )
    result, total = assign_fairly(problem, rounds=5), assign(problem)
    paper, reviewer = result.pairs.T
    assert (np.bincount(paper) == 3).all()
    assert result.load(60).max() <= 4
    assert result.load(60).min() >= 2
    assert allowed[paper, reviewer].all()
    assert (np.bincount(paper, senior[reviewer]) >= seniors).all()
    assert {*map(tuple, locked.tolist())} <= {*map(tuple, result.pairs.tolist())}
    assert result.affinity.min() > total.affinity.min()
    assert result.total < total.total
    assert result.gap is None


def test_later_rounds_improve_other_submissions(skewed):
    problem = AssignmentProblem(skewed(60, 60, seed=1), 3, 3)
    one, many = (np.sort(assign_fairly(problem, rounds=rounds).affinity) for rounds in (1, 12))
    assert one[0] == many[0]
    different = np.flatnonzero(np.abs(one - many) > 1e-9)
    assert different.size
    assert many[different[0]] > one[different[0]]


def test_limits_of_groups_and_reciprocal_reviews_are_refused():
    for rule in ({"groups": (GroupLimit(((1,), (1,))),)}, {"authors": [[0, 1]]}):
        with pytest.raises(ProblemError, match="cannot limit groups"):
            assign_fairly(AssignmentProblem(np.zeros((1, 2)), 1, 1, **rule))
