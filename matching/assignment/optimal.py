"""The assignment with the highest total affinity."""

from dataclasses import replace

import numpy as np

from specter_graph.matching.assignment.apart import Groups, best_apart
from specter_graph.matching.assignment.flow import Pairs, checked_demand, feasible_flow
from specter_graph.matching.assignment.problem import Assignment, Ints, Problem, assignment


def assign(problem: Problem, *, seconds: float = 300.0) -> Assignment:
    """The assignment of the highest total affinity, exact to 1e-6 a pair.

    A flow finds it, or, where affiliations must differ, HiGHS; `seconds` bounds each of its
    searches, and `gap` of the answer tells what they left open. Raises InfeasibleError;
    InputError where they found none in time.
    """
    pairs, bound = best_pairs(problem, Pairs(problem.eligible, problem.weight), seconds)
    return assignment(problem, pairs, bound)


def best_pairs(problem: Problem, pairs: Pairs, seconds: float) -> tuple[Ints, int]:
    """(n, 2) pairs beside the locked ones, and what such can be worth at most, in millionths."""
    demand = checked_demand(problem)
    groups = Groups.of(problem.affiliations)
    if not groups.member.nnz:
        chosen = feasible_flow(pairs, demand).flow.chosen
        return chosen, int(pairs.value(chosen @ np.array([problem.reviewers, 1])).sum())
    held = groups.load(problem.papers, problem.locked, np.ones(len(problem.locked)))
    if held.nnz:
        taken = (held @ groups.member.T).tocoo()
        eligible = pairs.eligible.copy()
        eligible[taken.row, taken.col] = False
        pairs = replace(pairs, eligible=eligible)
    keys, bound = best_apart(pairs, demand, groups, seconds)
    worth = int(pairs.value(keys).sum()) if bound is None else bound
    return np.stack(np.divmod(keys, problem.reviewers), 1), worth
