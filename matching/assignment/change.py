"""A late submission, a reviewer who drops out: as few changes as can be."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.flow import Pairs, demand_of, outweighing
from specter_graph.matching.assignment.optimal import best_pairs
from specter_graph.matching.assignment.problem import Assignment, Ints, Problem, assignment


def change(problem: Problem, present: Ints, *, seconds: float = 300.0) -> Assignment:
    """The assignment that keeps most of the present pairs and of those has the highest total.

    problem: as it is now: with the late paper, or with a load of 0 for the reviewer who left;
    present: (n, 2) pairs in its numbers, also such as are no longer allowed. Raises
    InfeasibleError.
    """
    present = np.asarray(present, np.int64).reshape(-1, 2)
    stays = present[problem.eligible[tuple(present.T)]]
    pairs = Pairs(problem.eligible, problem.weight)
    keys = np.unique(stays @ np.array([problem.reviewers, 1]))
    favour = outweighing(problem, demand_of(problem))
    found, _ = best_pairs(problem, replace(pairs, favoured=keys, favour=favour), seconds)
    return assignment(problem, found)
