"""Compare the highest total affinity with exhaustive search, HiGHS, and a flow over all pairs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.optimize import LinearConstraint, milp

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.min_cost_flow import FlowProblem, solve
from specter_graph.matching.assignment.optimal import assign
from specter_graph.matching.assignment.problem import AssignmentProblem, GroupLimit, InfeasibleError


def millionths(problem, **options):
    try:
        return round(assign(problem, **options).total * 1e6)
    except InfeasibleError:
        return None


def highs(problem):
    """Return the best total by an independent integer program over all pairs."""
    size = papers, reviewers = problem.affinity.shape
    paper, reviewer = (place.ravel() for place in np.indices(size))
    ones = np.ones(paper.size)
    column = np.arange(paper.size)
    per_paper = sparse.csr_array((ones, (paper, column)), shape=(papers, paper.size))
    per_reviewer = sparse.csr_array((ones, (reviewer, column)), shape=(reviewers, paper.size))
    seniors = per_paper.multiply(problem.senior[reviewer])
    limits = [
        LinearConstraint(per_paper, problem.needed, problem.needed),
        LinearConstraint(per_reviewer, problem.minimum, problem.maximum),
        LinearConstraint(seniors.tocsr(), problem.seniors_per_paper, np.inf),
    ]
    for limit in problem.groups:
        for number in sorted({number for own in limit.members for number in own}):
            of = np.array([number in own for own in limit.members])
            rows = per_paper.multiply(of[reviewer]).tocsr()
            limits.append(LinearConstraint(rows, -np.inf, limit.maximum))
    both = [
        (p * reviewers + r, q * reviewers + s)
        for p, s in problem.authors.tolist()
        for q, r in problem.authors.tolist()
        if s < r
    ]
    rows = np.repeat(np.arange(len(both)), 2), np.ravel(both).astype(int)
    limits.append(
        LinearConstraint(
            sparse.csr_array((np.ones(2 * len(both)), rows), (len(both), paper.size)), ub=1
        )
    )
    lowest = np.zeros(paper.size)
    lowest[problem.locked @ [reviewers, 1]] = 1
    weight = np.rint(problem.affinity.astype(float) * 1e6)
    result = milp(
        -weight.ravel() / 1e6,
        integrality=np.ones(paper.size),
        bounds=(lowest, problem.allowed.ravel()),
        constraints=limits,
        options={"mip_rel_gap": 0},
    )
    return None if result.x is None else int(weight.ravel()[result.x > 0.5].sum())


def conference(skewed, size, seed, **demands):
    g = np.random.default_rng(seed)
    allowed = g.random((size, size)) < 0.95
    locked = np.argwhere(allowed)[:: size * 7]
    return AssignmentProblem(skewed(size, size, seed), 3, 4, allowed, locked=locked, **demands)


def test_a_thousand_small_problems_have_the_total_of_exhaustive_search(tiny, brute):
    problems = [tiny(seed) for seed in range(1000)]
    best = [brute(problem) for problem in problems]
    assert [millionths(problem) for problem in problems] == best
    assert sum(total is not None for total in best) > 500


def test_an_author_with_a_locked_paper_of_their_own_has_no_reciprocal_review_with_themselves():
    problem = AssignmentProblem(
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        needed=np.array(1),
        maximum=np.array(2),
        locked=np.array([[0, 0]]),
        authors=np.array([[0, 0], [1, 0]]),
    )
    assert assign(problem).pairs.tolist() == [[0, 0], [1, 0]]


def test_small_problems_with_group_limits_and_reciprocal_reviews_have_that_total_too(tiny, brute):
    problems = [tiny(seed, side_constraints=True) for seed in range(300)]
    best = [brute(problem) for problem in problems]
    assert [millionths(problem) for problem in problems] == best
    for rule in ({"groups": ()}, {"authors": []}):
        without = [millionths(replace(problem, **rule)) for problem in problems]
        differences = sum(one != other for one, other in zip(best, without, strict=True))
        assert differences > 3, f"{rule} binds somewhere"


@pytest.mark.parametrize("seed", range(3))
def test_a_small_conference_has_the_total_of_highs(skewed, seed):
    g = np.random.default_rng(seed)
    affiliations = GroupLimit(tuple((int(a), 20 + int(a) // 5) for a in g.integers(0, 20, size=60)))
    regions = GroupLimit(tuple((int(a),) for a in g.integers(0, 3, size=60)), 2)
    authors = np.argwhere(g.random((60, 60)) < 0.02)
    for demands in (
        {"minimum": 2},
        {"senior": g.random(60) < 0.4, "seniors_per_paper": 1, "minimum": 1},
        {"groups": (affiliations,)},
        {"groups": (affiliations,), "senior": g.random(60) < 0.5, "seniors_per_paper": 1},
        {"groups": (affiliations, regions), "authors": authors},
    ):
        problem = conference(skewed, 60, seed, **demands)
        assert millionths(problem) == highs(problem)


def test_the_answer_meets_every_demand(skewed):
    senior = np.arange(80) % 3 == 0
    affiliations = tuple((one % 25,) for one in range(80))
    groups = (GroupLimit(affiliations),)
    problem = conference(
        skewed, 80, 1, minimum=2, senior=senior, seniors_per_paper=1, groups=groups
    )
    result = assign(problem)
    paper, reviewer = result.pairs.T
    assert (np.bincount(paper) == 3).all()
    assert result.load(80).max() <= 4
    assert result.load(80).min() >= 2
    assert problem.allowed[paper, reviewer].all()
    assert {*map(tuple, problem.locked.tolist())} <= {*map(tuple, result.pairs.tolist())}
    assert (np.bincount(paper, senior[reviewer]) >= 1).all()
    assert len({(p, affiliations[r]) for p, r in result.pairs.tolist()}) == len(result.pairs)
    assert (result.gap, result.bound) == (0, pytest.approx(result.total))
    expected = np.bincount(paper, problem.affinity[paper, reviewer])
    np.testing.assert_allclose(result.affinity, expected, atol=5e-6)


@pytest.mark.parametrize("seniors", [0, 1])
def test_a_subset_of_pairs_and_their_prices_lead_to_the_optimum_over_all_pairs(skewed, seniors):
    senior = np.arange(300) % 4 == 0
    problem = AssignmentProblem(
        skewed(300, 300), 3, 4, minimum=1, senior=senior, seniors_per_paper=seniors
    )
    demands = FlowProblem.from_problem(problem)
    first, every = demands.best_pairs(5), np.flatnonzero(demands.eligible)
    some, complete = solve(demands, first), solve(demands, every)
    assert some.value == complete.value
    assert some.columns.size > first.size, "the first pairs were not enough"
    assert some.columns.size < complete.columns.size / 4


def test_affinities_are_used_to_the_millionth():
    better = np.array([[0.500001, 0.5], [0.5, 0.5]], np.float32)
    assert assign(AssignmentProblem(better, 1, 1)).pairs.tolist() == [[0, 0], [1, 1]]
    assert assign(AssignmentProblem(better[:, ::-1].copy(), 1, 1)).pairs.tolist() == [
        [0, 1],
        [1, 0],
    ]


def test_a_search_that_times_out_does_not_prove_infeasibility(skewed):
    groups = (GroupLimit(tuple((one % 6,) for one in range(40))),)
    with pytest.raises(InputError, match="in 0 s") as error:
        assign(AssignmentProblem(skewed(40, 40), 3, 3, groups=groups), timeout=0)
    assert not isinstance(error.value, InfeasibleError)


def test_a_fractional_relaxation_leads_to_the_optimum_and_to_a_gap_if_stopped(monkeypatch):
    """Any two of three good reviewers share an affiliation: the relaxation assigns half of each."""
    groups = (GroupLimit(((1, 2), (2, 3), (1, 3), (), ())),)
    problem = AssignmentProblem([[0.9, 0.9, 0.9, 0.1, 0.1]], 2, 1, groups=groups)
    best = assign(problem)
    assert (best.total, best.gap, best.bound) == (1, 0, 1)
    search = optimize.linprog

    def cut_short(costs, **given):
        solution = search(costs, **given)
        if given["integrality"]:
            solution.status = 1
        return solution

    monkeypatch.setattr(optimize, "linprog", cut_short)
    assert assign(problem).gap == pytest.approx(0.4)


def test_an_infeasible_problem_is_refused_with_the_number_of_reviews():
    with pytest.raises(InfeasibleError, match="at least 2 reviews") as error:
        assign(AssignmentProblem(np.zeros((4, 2)), 2, 3))
    assert error.value.missing == 2


def test_no_submissions_need_no_reviewers():
    assert assign(AssignmentProblem(np.zeros((0, 3)), 3, 6)).pairs.shape == (0, 2)
