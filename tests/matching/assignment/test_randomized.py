"""Test probabilities under a maximum, and draws with exactly these probabilities."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from specter_graph.matching.assignment.optimal import assign
from specter_graph.matching.assignment.problem import (
    AssignmentProblem,
    InfeasibleError,
    ProblemError,
)
from specter_graph.matching.assignment.randomized import lottery


def conference(skewed, **demands):
    allowed = np.random.default_rng(0).random((20, 20)) < 0.9
    return AssignmentProblem(
        skewed(20, 20), 3, 4, allowed, 1, np.argwhere(allowed)[::333], **demands
    )


def expected_total(chances):
    """Return the expected total affinity of a draw, locked pairs included."""
    affinity, locked = chances.problem.affinity, chances.problem.locked
    certain = affinity[tuple(locked.T)].sum(dtype=np.float64)
    return certain + affinity[tuple(chances.pairs.T)] @ chances.probability


def test_the_expected_total_is_that_of_the_linear_program_under_the_maximum(skewed):
    problem = AssignmentProblem(skewed(20, 20), 3, 4)
    papers = np.repeat(np.eye(20), 20, axis=1)
    reviewers = np.tile(np.eye(20), 20)
    best = linprog(
        -problem.affinity.ravel(),
        A_eq=papers,
        b_eq=np.full(20, 3),
        A_ub=reviewers,
        b_ub=np.full(20, 4),
        bounds=(0, 0.4),
    )
    result = lottery(problem, 0.4)
    assert expected_total(result) == pytest.approx(-best.fun, abs=1e-4)
    assert result.probability.max() <= 0.4 + 1e-12


@pytest.mark.parametrize(("cap", "perturbation"), [(0.5, 0), (Fraction(2, 7), 0), (0.5, 0.7)])
def test_draws_have_the_probabilities_and_meet_every_demand(skewed, cap, perturbation):
    senior = np.arange(20) % 2 == 0
    problem = conference(skewed, senior=senior, seniors_per_paper=1)
    chances = lottery(problem, cap, perturbation)
    expected = np.zeros((20, 20))
    expected[tuple(chances.pairs.T)] = chances.probability
    assert expected.max() <= cap + 1e-12
    expected[tuple(problem.locked.T)] = 1
    draws, seen = 300, np.zeros((20, 20))
    for seed in range(draws):
        drawn = chances.draw(seed)
        paper, reviewer = drawn.pairs.T
        assert (np.bincount(paper) == 3).all()
        assert drawn.load(20).max() <= 4
        assert drawn.load(20).min() >= 1
        assert (np.bincount(paper, senior[reviewer]) >= 1).all()
        seen[paper, reviewer] += 1
    spread = np.sqrt(expected * (1 - expected) / draws)
    assert (np.abs(seen / draws - expected) <= 5 * spread + 1e-9).all()


def test_the_same_seed_draws_the_same_assignment(skewed):
    problem = conference(skewed)
    chances = lottery(problem, 0.5)
    first, second, other = (chances.draw(seed).pairs.tolist() for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_a_maximum_of_one_gives_the_best_assignment(skewed):
    problem = conference(skewed)
    best = assign(problem).total
    assert expected_total(lottery(problem, 1)) == pytest.approx(best, abs=1e-4)


def test_a_maximum_that_needs_more_reviewers_than_exist_is_rejected():
    with pytest.raises(InfeasibleError):
        lottery(AssignmentProblem(np.zeros((1, 5)), 3, 1), 0.5)
    assert (
        lottery(AssignmentProblem(np.zeros((1, 9)), 3, 1), 1 / 3).probability.tolist()
        == [1 / 3] * 9
    )


def test_a_maximum_that_is_no_probability_is_refused():
    for cap in (0, 1.5):
        with pytest.raises(ProblemError, match="above 0 and at most 1"):
            lottery(AssignmentProblem(np.zeros((1, 5)), 3, 1), cap)


def test_a_perturbed_lottery_is_the_optimum_of_its_concave_program(skewed):
    """Compare with a linear program with a variable for each tenth of the maximum probability."""
    problem = AssignmentProblem(skewed(12, 12), 3, 4)
    step = 0.05
    slopes = 1 - 0.8 * step * (2 * np.arange(10) + 1)
    affinity = problem.affinity.ravel().astype(float)
    worth = np.where(affinity[:, None] > 0, affinity[:, None] * slopes, affinity[:, None])
    best = linprog(
        -worth.ravel(),
        A_eq=np.repeat(np.repeat(np.eye(12), 12, axis=1), 10, axis=1),
        b_eq=np.full(12, 3),
        A_ub=np.repeat(np.tile(np.eye(12), 12), 10, axis=1),
        b_ub=np.full(12, 4),
        bounds=(0, step),
    )
    chances = lottery(problem, 0.5, 0.8)
    mine = problem.affinity[tuple(chances.pairs.T)].astype(float)
    lost = 0.8 * chances.probability**2 * np.maximum(mine, 0)
    np.testing.assert_allclose(chances.probability / step, np.rint(chances.probability / step))
    assert (mine * chances.probability - lost).sum() == pytest.approx(-best.fun, abs=1e-4)


def test_perturbation_spreads_the_probabilities_at_a_small_loss(skewed):
    problem = AssignmentProblem(skewed(100, 100), 3, 4)
    plain, perturbed = (lottery(problem, 0.5, strength) for strength in (0, 0.5))
    assert len(perturbed.pairs) > 2 * len(plain.pairs)
    assert (perturbed.probability**2).sum() < 0.6 * (plain.probability**2).sum()
    best = expected_total(plain)
    assert 0.9 * best < expected_total(perturbed) < best
    drawn = perturbed.draw(3)
    assert (np.bincount(drawn.pairs[:, 0]) == 3).all()
    assert len(np.unique(drawn.pairs, axis=0)) == len(drawn.pairs)
