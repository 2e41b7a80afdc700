"""The assignment with the highest total affinity, and the one nearest to a present assignment."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.distinct_affiliations import affiliation_members
from specter_graph.matching.assignment.distinct_affiliations import solve as solve_distinct
from specter_graph.matching.assignment.min_cost_flow import FlowProblem, solve_feasible
from specter_graph.matching.assignment.problem import Assignment, Ints, Problem, assignment


def assign(problem: Problem, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment of the highest total affinity, exact to 1e-6 a pair.

    A flow finds it or, where affiliations must differ, HiGHS; `timeout` (seconds) then bounds each
    search, and `gap` of the answer is how far the total may be from the best one. Raises
    InfeasibleError; InputError where no assignment was found in time.
    """
    pairs, bound = _best_pairs(problem, FlowProblem.of(problem), timeout)
    return assignment(problem, pairs, bound)


def reassign(problem: Problem, present: Ints, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment that keeps the most present pairs and of those has the highest total.

    problem: as it is now: with the late paper, or with a load of 0 for the reviewer who left;
    present: (n, 2) pairs in its numbers, allowed or not. Raises InfeasibleError.
    """
    demands = FlowProblem.of(problem)
    stays = np.zeros(problem.affinity.shape, np.bool_)
    stays[tuple(np.asarray(present, np.int64).reshape(-1, 2).T)] = True
    weight = problem.weight + demands.displacement * (stays & problem.eligible)
    pairs, _ = _best_pairs(problem, replace(demands, weight=weight), timeout)
    return assignment(problem, pairs)


def _best_pairs(problem: Problem, demands: FlowProblem, timeout: float) -> tuple[Ints, int]:
    """Return (n, 2) pairs beside the locked ones, and a bound of their weight in millionths."""
    members = affiliation_members(problem.affiliations)
    if members.nnz:
        return solve_distinct(demands, members, problem.locked, timeout)
    flow = solve_feasible(demands)
    return flow.chosen, flow.value
