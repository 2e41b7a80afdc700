"""Reassign after a late submission or a drop-out with as few changes as possible."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.optimal import assign, reassign
from specter_graph.matching.assignment.problem import AssignmentProblem, InfeasibleError


def pairs_of(pairs):
    return {*map(tuple, np.asarray(pairs).tolist())}


def count_shared(before, after):
    return len(pairs_of(before) & pairs_of(after))


def test_the_maximum_number_of_pairs_remains_with_the_highest_total(tiny, brute):
    solved = 0
    for seed in range(240):
        problem = tiny(seed, side_constraints=seed % 4 == 0)
        g = np.random.default_rng(seed)
        present = np.argwhere(g.random(problem.affinity.shape) < 0.4)
        if not len(present):
            continue
        try:
            result = reassign(problem, present)
        except InfeasibleError:
            assert brute(problem) is None
            continue
        value = count_shared(present, result.pairs), round(result.total * 1e6)
        assert value == brute(problem, pairs_of(present))
        solved += 1
    assert solved > 90


def test_a_reviewer_who_drops_out_is_replaced_without_other_changes(skewed):
    problem = AssignmentProblem(skewed(100, 100), 3, 4)
    before = assign(problem)
    gone = int(before.load(100).argmax())
    maximum = problem.maximum.copy()
    maximum[gone] = 0
    after = reassign(replace(problem, maximum=maximum), before.pairs)
    assert pairs_of(before.pairs) - pairs_of(after.pairs) == {
        (paper, reviewer) for paper, reviewer in pairs_of(before.pairs) if reviewer == gone
    }


def test_a_late_submission_takes_free_places_without_improving_other_pairs(skewed):
    affinity = skewed(101, 100)
    before = assign(AssignmentProblem(affinity[:100], 3, 4))
    after = reassign(AssignmentProblem(affinity, 3, 4), before.pairs)
    assert pairs_of(before.pairs) < pairs_of(after.pairs)
    load = before.load(100)
    free = np.flatnonzero(load < 4)
    best = free[np.argsort(-affinity[100, free])[:3]]
    assert {reviewer for paper, reviewer in pairs_of(after.pairs) if paper == 100} == {*best}


def test_places_are_freed_if_none_is_free():
    affinity = np.array([[0.9, 0.1, 0.2], [0.8, 0.7, 0.3]])
    before = assign(AssignmentProblem(affinity[:1], 1, [1, 0, 1]))
    assert before.pairs.tolist() == [[0, 0]]
    allowed = np.array([[True, True, True], [True, False, False]])
    after = reassign(AssignmentProblem(affinity, 1, [1, 0, 1], allowed), before.pairs)
    assert after.pairs.tolist() == [[0, 2], [1, 0]]
