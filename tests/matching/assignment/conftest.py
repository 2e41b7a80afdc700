"""Small problems, skewed affinities, and the best assignment by exhaustive search."""

from itertools import combinations, product

import numpy as np
import pytest

from specter_graph.matching.assignment.problem import AssignmentProblem, GroupLimit


@pytest.fixture(scope="session")
def tiny():
    """Return a function that makes a problem with all kinds of demands from a seed."""

    def make(seed, side_constraints=False):
        g = np.random.default_rng(seed)
        size = papers, reviewers = g.integers(1, 5), g.integers(3, 7)
        tied = g.integers(-3, 9, size=size) / 8
        allowed = g.random(size) < 0.9
        maximum = g.integers(1, 5, size=reviewers)
        authors = np.empty((0, 2), int)
        if side_constraints:
            authors = np.argwhere(g.random(size) < 0.25)
            allowed[tuple(authors.T)] = False
        pairs = np.argwhere(allowed)
        return AssignmentProblem(
            tied if g.random() < 0.5 else g.normal(size=size),
            needed=g.integers(0, 4, size=papers),
            maximum=maximum,
            allowed=allowed,
            minimum=np.minimum(maximum, g.random(reviewers) < 0.15),
            locked=pairs[g.random(len(pairs)) < 0.05],
            senior=g.random(reviewers) < 0.6,
            seniors_per_paper=int(g.integers(0, 2)),
            groups=tuple(
                GroupLimit(
                    tuple(tuple(g.choice(5, g.integers(0, 3)).tolist()) for _ in range(reviewers)),
                    maximum,
                    np.argwhere(g.random((papers, 5)) < 0.05),
                )
                for maximum in (1, 2)
                if side_constraints
            ),
            authors=authors,
        )

    return make


@pytest.fixture(scope="session")
def skewed():
    """Affinities of vectors in topics of very different size; some reviewers suit all papers."""

    def make(papers, reviewers, seed=0, topics=12):
        g = np.random.default_rng(seed)
        centers = g.normal(size=(topics, 32))

        def vectors(count, slope):
            odds = 1 / np.arange(1, topics + 1) ** slope
            result = centers[g.choice(topics, count, p=odds / odds.sum())]
            result = result + g.normal(size=(count, 32))
            return result / np.linalg.norm(result, axis=1, keepdims=True)

        affinity = vectors(papers, 1.5) @ vectors(reviewers, 0.3).T
        return (affinity + g.normal(0, 0.1, reviewers)).astype(np.float32)

    return make


@pytest.fixture(scope="session")
def brute():
    """Return the highest total in millionths of any assignment, or None.

    With `keeps`, return the highest (number of kept pairs, total).
    """
    return _brute


def _brute(problem, keeps=None):
    locked = {tuple(pair) for pair in problem.locked.tolist()}
    choices = [_teams(problem, paper, locked) for paper in range(problem.papers)]
    weight = np.rint(problem.affinity.astype(float) * 1e6).astype(int).tolist()
    keeps = set() if keeps is None else {*keeps}
    result = None
    for teams in product(*choices):
        load = np.bincount([r for team in teams for r in team], minlength=problem.reviewers)
        if (load > problem.maximum).any() or (load < problem.minimum).any():
            continue
        pairs = [(paper, r) for paper, team in enumerate(teams) for r in team]
        if _is_reciprocal(problem, pairs, locked):
            continue
        value = len(keeps.intersection(pairs)), sum(weight[paper][r] for paper, r in pairs)
        result = value if result is None else max(result, value)
    return result if keeps or result is None else result[1]


def _teams(problem, paper, locked):
    own = {r for p, r in locked if p == paper}
    free = np.flatnonzero(problem.allowed[paper]).tolist()
    free = [r for r in free if r not in own]
    needed = int(problem.needed[paper])
    if needed < len(own):
        return []
    teams = [own | {*some} for some in combinations(free, needed - len(own))]
    seniors = min(problem.seniors_per_paper, needed)
    return [
        sorted(team)
        for team in teams
        if sum(problem.senior[r] for r in team) >= seniors
        and all(_is_within(limit, paper, team, own) for limit in problem.groups)
    ]


def _is_within(limit, paper, team, own):
    """Return True if no group exceeds its limit, or the number of its locked and outside people."""

    def counts(some):
        return np.bincount([n for r in some for n in {*limit.members[r]}], minlength=5)

    taken = np.bincount([group for p, group in limit.taken.tolist() if p == paper], minlength=5)
    before = counts(own) + taken
    return (counts(team) + taken <= np.maximum(limit.maximum, before)).all()


def _is_reciprocal(problem, pairs, locked):
    wrote = {*map(tuple, problem.authors.tolist())}
    return any(
        (p, s) in wrote and (q, r) in wrote
        for (p, r), (q, s) in combinations(pairs, 2)
        if r != s and not {(p, r), (q, s)} <= locked
    )
