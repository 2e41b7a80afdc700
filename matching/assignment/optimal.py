"""The assignment with the highest total affinity, and the one closest to another assignment."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.integer_program import solve
from specter_graph.matching.assignment.min_cost_flow import FlowProblem
from specter_graph.matching.assignment.problem import (
    Assignment,
    AssignmentProblem,
    Ints,
    assignment,
)
from specter_graph.matching.assignment.side_constraints import side_constraints


def assign(problem: AssignmentProblem, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment of the highest total affinity, exact to 1e-6 a pair.

    Where a flow violates the limits of groups or reciprocal reviews, HiGHS searches, and `timeout`
    (seconds) bounds each search. `gap` of the result is the largest possible distance from the best
    total. Raises InfeasibleError, and InputError if no assignment was found in time.
    """
    demands = FlowProblem.from_problem(problem)
    pairs, bound = solve(demands, side_constraints(problem), timeout)
    return assignment(problem, pairs, bound)


def reassign(problem: AssignmentProblem, present: Ints, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment that keeps the most present pairs, and of those has the highest total.

    Args:
        problem: The changed problem, such as one with a late paper, or with a maximum load of 0 for
            a reviewer who left.
        present: (n, 2) pairs in the numbers of the problem, allowed or not.
        timeout: Seconds of each search by HiGHS.

    Raises:
        InfeasibleError: No assignment meets all demands.
    """
    demands = FlowProblem.from_problem(problem)
    stays = np.zeros(problem.affinity.shape, np.bool_)
    stays[tuple(np.asarray(present, np.int64).reshape(-1, 2).T)] = True
    weight = problem.weight + demands.displacement * (stays & problem.eligible)
    pairs, _ = solve(replace(demands, weight=weight), side_constraints(problem), timeout)
    return assignment(problem, pairs)
