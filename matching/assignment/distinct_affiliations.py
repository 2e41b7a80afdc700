"""The best assignment in which the reviewers of a paper have different affiliations.

A flow cannot express this demand, so HiGHS solves an integer program over the pairs that the
prices of the best flow favor. By the same prices no assignment with another pair is worth more than
a bound. If the optimum of the program is below that bound, it is solved again with more pairs.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint, milp

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.min_cost_flow import FlowProblem, solve_feasible
from specter_graph.matching.assignment.problem import SCALE, InfeasibleError, Ints

_FIRST_LOSS = SCALE // 50
_ALL_PAIRS = 1 << 50  # more than any pair can lose
_MAX_PAIRS = 1_000_000


def affiliation_members(affiliations: tuple[tuple[int, ...], ...]) -> sparse.csr_array:
    """Return (reviewers, affiliations) of 0 and 1, for affiliations of two reviewers or more."""
    own = [sorted({*numbers}) for numbers in affiliations]
    reviewer = np.repeat(np.arange(len(own)), [len(numbers) for numbers in own])
    numbers = np.array([number for row in own for number in row], np.int64)
    _, column = np.unique(numbers, return_inverse=True)
    shape = (len(own), int(column.max(initial=-1)) + 1)
    members = sparse.csr_array((np.ones(column.size), (reviewer, column)), shape=shape)
    return sparse.csr_array(members[:, np.flatnonzero(members.sum(0) > 1)])


def solve(
    problem: FlowProblem, members: sparse.csr_array, locked: Ints, timeout: float
) -> tuple[Ints, int]:
    """Return the best pairs (n, 2) and a bound of the weight of any assignment, in millionths.

    Reviewers who share an affiliation with a reviewer of a locked pair cannot have its paper.
    `timeout` bounds each search in seconds. Raises InfeasibleError, and InputError if no assignment
    was found in time, or among the most promising pairs of a large problem.
    """
    papers, reviewers = problem.weight.shape

    def affiliations(pairs: Ints) -> sparse.csr_array:
        ones = sparse.csr_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(papers, reviewers))
        return ones @ members

    taken = (affiliations(locked) @ members.T).tocoo()
    eligible = problem.eligible.copy()
    eligible[taken.row, taken.col] = False
    problem = replace(problem, eligible=eligible)
    flow = solve_feasible(problem)
    if affiliations(flow.chosen).max() <= 1:
        return flow.chosen, flow.value
    chosen_by_flow = flow.chosen @ np.array([reviewers, 1])
    loss, answer, groups = _FIRST_LOSS, None, np.empty(0, np.int64)
    while True:
        keys = np.union1d(chosen_by_flow, flow.pairs_above(-loss - 1))
        is_complete = loss >= _ALL_PAIRS
        if keys.size > _MAX_PAIRS and answer:
            return answer
        chosen, is_proven, groups = _solve_program(problem, members, keys, groups, timeout)
        if chosen is None:
            if is_proven and is_complete:
                raise InfeasibleError(1)
            if not is_proven or keys.size > _MAX_PAIRS:
                raise InputError(
                    f"no assignment with different affiliations was found in {timeout:g} s",
                    "give the search more time, or let submissions have several reviewers of one"
                    " affiliation",
                )
            loss *= 4
            continue
        value = int(problem.weight.ravel()[chosen].sum(dtype=np.int64))
        bound = flow.value - loss if is_proven else flow.value
        bound = value if is_proven and is_complete else max(value, bound)
        answer = np.stack(np.divmod(chosen, reviewers), 1), bound
        if bound == value or not is_proven:
            return answer
        loss = flow.value - value


def _solve_program(
    problem: FlowProblem, members: sparse.csr_array, keys: Ints, groups: Ints, timeout: float
) -> tuple[Ints | None, bool, Ints]:
    """Return the keys of the best assignment of these pairs, and whether this is proven.

    Only some `groups` (an affiliation at a paper) are constrained. Groups with two reviewers in a
    solution are added until no group has two, and returned.
    """
    papers, reviewers = problem.weight.shape
    paper, reviewer = np.divmod(keys, reviewers)
    column = np.arange(keys.size)

    def count(row: Ints, columns: Ints, rows: int) -> sparse.csr_array:
        return sparse.csr_array((np.ones(row.size), (row, columns)), shape=(rows, keys.size))

    junior = np.flatnonzero(problem.junior[paper if len(problem.junior) > 1 else 0, reviewer])
    shared = members[reviewer].tocoo()
    group = paper[shared.row] * members.shape[1] + shared.col
    constraints = [
        LinearConstraint(count(paper, column, papers), problem.needed, problem.needed),
        LinearConstraint(count(reviewer, column, reviewers), problem.minimum, problem.maximum),
        LinearConstraint(count(paper[junior], junior, papers), ub=problem.junior_limit),
    ]
    while True:
        inside = np.isin(group, groups)
        rows = count(np.searchsorted(groups, group[inside]), shared.row[inside], groups.size)
        solution = milp(
            -problem.weight.ravel()[keys] / SCALE,
            integrality=np.ones(keys.size),
            bounds=(0, 1),
            constraints=[*constraints, LinearConstraint(rows, ub=1)],
            options={"mip_rel_gap": 0.0, "time_limit": timeout},
        )
        if solution.x is None:
            return None, solution.status == 2, groups
        is_chosen = solution.x > 0.5
        twice, counts = np.unique(group[is_chosen[shared.row]], return_counts=True)
        if not (twice := twice[counts > 1]).size:
            return keys[is_chosen], solution.status == 0, groups
        groups = np.union1d(groups, twice)
