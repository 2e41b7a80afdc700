"""The assignment with the highest total affinity, and the one closest to another assignment."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.distinct_affiliations import affiliation_members
from specter_graph.matching.assignment.distinct_affiliations import solve as solve_distinct
from specter_graph.matching.assignment.min_cost_flow import FlowProblem, solve_feasible
from specter_graph.matching.assignment.problem import (
    Assignment,
    AssignmentProblem,
    Ints,
    assignment,
)


def assign(problem: AssignmentProblem, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment of the highest total affinity, exact to 1e-6 a pair.

    If affiliations must differ, HiGHS searches for it, and `timeout` (seconds) bounds each search.
    `gap` of the result is the largest possible distance from the best total. Raises
    InfeasibleError, and InputError if no assignment was found in time.
    """
    pairs, bound = _best_pairs(problem, FlowProblem.from_problem(problem), timeout)
    return assignment(problem, pairs, bound)


def reassign(problem: AssignmentProblem, present: Ints, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment that keeps the most present pairs, and of those has the highest total.

    Args:
        problem: The changed problem, such as one with a late paper, or with a maximum load of 0 for
            a reviewer who left.
        present: (n, 2) pairs in the numbers of the problem, allowed or not.
        timeout: Seconds of each search, if affiliations must differ.

    Raises:
        InfeasibleError: No assignment meets all demands.
    """
    demands = FlowProblem.from_problem(problem)
    stays = np.zeros(problem.affinity.shape, np.bool_)
    stays[tuple(np.asarray(present, np.int64).reshape(-1, 2).T)] = True
    weight = problem.weight + demands.displacement * (stays & problem.eligible)
    pairs, _ = _best_pairs(problem, replace(demands, weight=weight), timeout)
    return assignment(problem, pairs)


def _best_pairs(
    problem: AssignmentProblem, demands: FlowProblem, timeout: float
) -> tuple[Ints, int]:
    """Return the (n, 2) pairs that are not locked, and a bound of their weight in millionths."""
    members = affiliation_members(problem.affiliations)
    if members.nnz:
        return solve_distinct(demands, members, problem.locked, timeout)
    flow = solve_feasible(demands)
    return flow.chosen, flow.value
