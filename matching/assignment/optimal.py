"""The best assignment under constraints that a flow cannot express, and a fair one.

First the flow is solved without these constraints. If its pairs violate some, HiGHS solves a linear
program over the pairs that the prices of the flow favor, with the violated constraints. Pairs that
could improve the solution by its prices, and constraints that it violates, are added until there
are none. The solution is then the optimum over all pairs if its variables are integers, as they are
in most cases. If not, an integer program over all pairs that a better assignment could have gives
the optimum.

The fair assignment serves the worst-off papers first: Algorithm 1 of Stelmakh, Shah and Singh,
"PeerReview4All: Fair and Accurate Reviewer Assignment in Peer Review", 2018. It is close to the
best one for the worst-off paper, then for the next paper, and so on. The publication completes a
candidate by a second flow; here one flow does both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.min_cost_flow import (
    COLUMNS,
    FlowProblem,
    pairs_above,
    solve,
    solve_feasible,
)
from specter_graph.matching.assignment.problem import (
    SCALE,
    Assignment,
    AssignmentProblem,
    Bools,
    InfeasibleError,
    Ints,
    make_assignment,
    mask_of,
)
from specter_graph.matching.assignment.side_constraints import SideConstraint, side_constraints

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

_FIRST_LOSS = SCALE // 50
_ALL_PAIRS = 1 << 50  # more than any pair can lose
_MAX_PAIRS = 1_000_000
_OPTIMAL, _INFEASIBLE = 0, 2


def assign(problem: AssignmentProblem, *, timeout: float = 300.0) -> Assignment:
    """Return the assignment of the highest total affinity, exact to 1e-6 a pair.

    Where a flow violates the limits of groups or reciprocal reviews, HiGHS searches, and `timeout`
    (seconds) bounds each search. `gap` of the result is the largest possible distance from the best
    total. Raises InfeasibleError, and InputError if no assignment was found in time.
    """
    demands = FlowProblem.from_problem(problem)
    pairs, bound = solve_with_rules(demands, side_constraints(problem), timeout)
    return make_assignment(problem, pairs, bound)


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
    stays = mask_of(present, problem.affinity.shape) & problem.eligible
    weight = problem.weight + demands.displacement * stays
    pairs, _ = solve_with_rules(replace(demands, weight=weight), side_constraints(problem), timeout)
    return make_assignment(problem, pairs)


def solve_with_rules(
    problem: FlowProblem, rules: Sequence[SideConstraint], timeout: float
) -> tuple[Ints, int]:
    """Return the best pairs (n, 2) and a bound of the weight of any assignment, in millionths.

    `timeout` bounds each search in seconds. Raises InfeasibleError, and InputError if no assignment
    was found in time, or among the most promising pairs of a large problem.
    """
    if rules:
        eligible = problem.eligible.copy()
        for rule in rules:
            eligible &= ~rule.blocked()
        problem = replace(problem, eligible=eligible)
    flow = solve_feasible(problem)
    numbers = [rule.violated(flow.chosen) for rule in rules]
    if not any(own.size for own in numbers):
        return flow.chosen, flow.value
    reviewers = problem.weight.shape[1]
    keys, loss = flow.chosen @ np.array([reviewers, 1]), _FIRST_LOSS
    more = flow.pairs_above(-loss)
    while True:
        keys = np.union1d(keys, more)
        program = _Program(problem, rules, numbers, keys)
        relaxed = program.solve(timeout)
        integer = relaxed
        if relaxed.x is not None:
            if (more := program.pairs_above(relaxed, 0, COLUMNS)).size:
                continue
            if np.abs(relaxed.x - np.rint(relaxed.x)).max() > 1e-6:
                integer = program.solve(timeout, integral=True)
        if integer.x is None:
            if integer.status == _INFEASIBLE and loss >= _ALL_PAIRS:
                raise InfeasibleError(1)
            if integer.status != _INFEASIBLE or keys.size > _MAX_PAIRS:
                raise InputError(
                    "no assignment that respects the limits of groups and reciprocal reviews was"
                    f" found in {timeout:g} s",
                    "leave out one of these limits, or raise the maximum load of reviewers",
                )
            loss *= 4
            more = flow.pairs_above(-loss)
            continue
        chosen = keys[integer.x > 0.5]
        value = int(problem.weight.ravel()[chosen].sum(dtype=np.int64))
        bound = value if integer is relaxed else round(-relaxed.fun * SCALE)
        if bound > value and integer.status == _OPTIMAL:
            more = program.pairs_above(relaxed, value - bound - 1)
            if more.size and keys.size + more.size <= _MAX_PAIRS:
                continue
            bound = bound if more.size else value
        pairs = np.stack(np.divmod(chosen, reviewers), 1)
        violated = [rule.violated(pairs) for rule in rules]
        if not any(own.size for own in violated):
            return pairs, max(value, bound)
        numbers = [np.union1d(own, new) for own, new in zip(numbers, violated, strict=True)]
        more = np.empty(0, np.int64)


class _Program:
    """A linear program over pairs of a flow problem and rows of side constraints.

    Its rows with upper bounds are loads, minimum loads, juniors, then those of each rule.
    """

    def __init__(
        self,
        problem: FlowProblem,
        rules: Sequence[SideConstraint],
        numbers: Sequence[Ints],
        keys: Ints,
    ) -> None:
        """Build the program of the pairs `keys` and of the rows `numbers` of each rule."""
        self.problem, self.rules, self.numbers, self.keys = problem, rules, numbers, keys
        papers, reviewers = problem.weight.shape
        paper, reviewer = np.divmod(keys, reviewers)
        ones, column = np.ones(keys.size), np.arange(keys.size)
        self.of_paper = sparse.csr_array((ones, (paper, column)), shape=(papers, keys.size))
        load = sparse.csr_array((ones, (reviewer, column)), shape=(reviewers, keys.size))
        junior = problem.junior[paper, reviewer]
        rows = [
            (load, problem.maximum),
            (-load, -problem.minimum),
            (sparse.csr_array(self.of_paper.multiply(junior)), problem.junior_limit),
            *(rule.rows(own, keys) for rule, own in zip(rules, numbers, strict=True)),
        ]
        self.upper = sparse.vstack([matrix for matrix, _ in rows], format="csr")
        self.bounds = np.concatenate([limit for _, limit in rows])
        self.ends = np.cumsum([limit.size for _, limit in rows])[:-1]

    def solve(self, timeout: float, *, integral: bool = False) -> "OptimizeResult":
        """Return the solution; its `x` is None if there is none."""
        from scipy.optimize import linprog  # takes 0.3 s

        return linprog(
            -self.problem.weight.ravel()[self.keys] / SCALE,
            A_ub=self.upper,
            b_ub=self.bounds,
            A_eq=self.of_paper,
            b_eq=self.problem.needed,
            bounds=(0, 1),
            integrality=int(integral),
            options={"time_limit": timeout, **({"mip_rel_gap": 0.0} if integral else {})},
        )

    def pairs_above(self, solution: "OptimizeResult", gain: int, limit: int | None = None) -> Ints:
        """Return keys of other pairs whose gain by the prices of a solution is above `gain`."""
        paper = _millionths(solution.eqlin.marginals)
        marginals = _millionths(solution.ineqlin.marginals)
        load, minimum, junior, *duals = np.split(marginals, self.ends)
        prices = [
            price
            for rule, own, dual in zip(self.rules, self.numbers, duals, strict=True)
            if (price := rule.prices(own, dual)) is not None
        ]
        return pairs_above(
            self.problem, (-paper, -paper - junior, load - minimum), gain, limit, self.keys, prices
        )


def _millionths(duals: npt.NDArray[np.float64]) -> Ints:
    return np.rint(duals * SCALE).astype(np.int64)


def assign_fairly(problem: AssignmentProblem, *, rounds: int = 10) -> Assignment:
    """Return an assignment that approximately maximizes the worst-off paper, then the next one.

    A paper is as well off as the mean affinity of its reviewers. Each round fixes the worst-off
    papers. After `rounds` rounds the other papers keep their reviewers. With seniors, the only
    candidates are those that raise all reviewers of a paper. Raises InfeasibleError, and
    ProblemError if the problem limits groups or reciprocal reviews.
    """
    problem.refuse_side_constraints("fair")
    demands = FlowProblem.from_problem(problem)
    chosen = solve_feasible(demands).chosen
    fixed = np.empty((0, 2), np.int64)
    while rounds and (open_papers := demands.needed > 0).any():
        candidates = [chosen, *_candidates(demands, chosen, problem.seniors_per_paper > 0)]
        means = [_mean_affinities(problem, candidate) for candidate in candidates]
        worst = [mean[open_papers].min() for mean in means]
        best = max(range(len(worst)), key=lambda one: (worst[one], means[one][open_papers].sum()))
        done = open_papers & (means[best] <= worst[best])
        is_fixed = done[candidates[best][:, 0]]
        fixed = np.concatenate([fixed, candidates[best][is_fixed]])
        chosen = candidates[best][~is_fixed]
        demands = _fix_papers(demands, done, candidates[best][is_fixed, 1])
        rounds -= 1
    return make_assignment(problem, np.concatenate([fixed, chosen]))


def _candidates(demands: FlowProblem, chosen: Ints, mixed: bool) -> Iterator[Ints]:
    """Yield, for each number n, pairs that maximize the n-th best affinity of the worst paper."""
    largest = int(demands.needed.max())
    first = demands.best_pairs(COLUMNS)
    for raised in range(largest if mixed else 1, largest + 1):
        thresholds = _thresholds(demands, chosen, raised)
        low, high = 0, len(thresholds) - 1  # the chosen pairs reach the lowest
        while low < high:
            middle = (low + high + 1) // 2
            limited = _require_threshold(demands, raised, int(thresholds[middle]))
            relaxed = replace(limited, weight=np.zeros_like(demands.weight))
            if solve(relaxed, first=first).missing:
                high = middle - 1
            else:
                low = middle
        yield solve_feasible(_require_threshold(demands, raised, int(thresholds[low]))).chosen


def _thresholds(demands: FlowProblem, chosen: Ints, raised: int) -> Ints:
    """Return ascending weights, from the one that the chosen pairs reach to an upper bound."""
    low, high = (
        _find_worst_reached(
            demands, np.where(pairs, demands.weight, np.iinfo(np.int32).min), raised
        )
        for pairs in (mask_of(chosen, demands.eligible.shape), demands.eligible)
    )
    inside = demands.eligible & (demands.weight >= low) & (demands.weight <= high)
    return np.unique(np.append(demands.weight[inside & (demands.needed > 0)[:, None]], low))


def _find_worst_reached(demands: FlowProblem, values: Ints, raised: int) -> int:
    """Return the minimum, over papers, of the value that `raised` pairs of the paper reach."""
    rank = np.minimum(raised, demands.needed)[demands.needed > 0]
    ordered = -np.sort(-values[demands.needed > 0].astype(np.int64), axis=1)
    return int(ordered[np.arange(rank.size), rank - 1].min())


def _require_threshold(demands: FlowProblem, raised: int, threshold: int) -> FlowProblem:
    """Require `raised` pairs of each paper (or all, if fewer) at `threshold` or above."""
    above = demands.weight >= threshold
    if raised >= demands.needed.max():
        return replace(demands, eligible=demands.eligible & above)
    limit = np.maximum(0, demands.needed - raised)
    return replace(demands, junior=~above, junior_limit=limit)


def _mean_affinities(problem: AssignmentProblem, chosen: Ints) -> npt.NDArray[np.float64]:
    """Return the mean affinity of each paper's reviewers, locked ones included, in millionths."""
    pairs = np.concatenate([problem.locked, chosen])
    weight = problem.weight[tuple(pairs.T)].astype(np.int64)
    return np.bincount(pairs[:, 0], weight, problem.papers) / np.maximum(1, problem.needed)


def _fix_papers(demands: FlowProblem, done: Bools, reviewers: Ints) -> FlowProblem:
    """Return the demands without these papers and their reviewers."""
    load = np.bincount(reviewers, minlength=len(demands.maximum))
    return replace(
        demands,
        needed=np.where(done, 0, demands.needed),
        junior_limit=np.where(done, 0, demands.junior_limit),
        minimum=np.maximum(0, demands.minimum - load),
        maximum=demands.maximum - load,
    )
