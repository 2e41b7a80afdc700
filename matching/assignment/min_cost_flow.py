"""Minimum-cost flow from papers to reviewers, exact to the integer, over all eligible pairs.

    paper --> reviewer --> sink      each paper sends as many units as it needs reviewers
    paper --> junior --> reviewer    at most `junior_limit` of them through its node `junior`
    paper ---------------> sink      units that no reviewer takes, at a penalty above all else

A reviewer has two arcs to the sink. The first carries the minimum load and earns the penalty, the
second carries the rest of the load.

Most pairs are never chosen. The flow therefore starts with the best pairs of each paper and each
reviewer. The prices of its optimum show which other pairs could improve it; these are added until
there are none (column generation: Ahuja, Magnanti, Orlin, Network Flows, 1993, section 17.5).

A pair can have several pieces with descending weights (`slopes`): a concave function of its units.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from specter_graph.core.errors import InputError, extra
from specter_graph.matching.assignment.problem import (
    AssignmentProblem,
    Bools,
    InfeasibleError,
    Ints,
)

COLUMNS = 30
"""Pairs of a paper in the first flow, in addition to the number of reviewers that it needs."""

_BLOCK = 1 << 20  # pairs priced at a time
_MAX_COST = 1 << 62
_INFINITE = 1 << 60
_INELIGIBLE = -(1 << 62)


@dataclass(frozen=True, eq=False)
class FlowProblem:
    """Demands in units of flow.

    Attributes:
        eligible: (papers, reviewers) bool.
        weight: (papers, reviewers) integers.
        needed: (papers,) units.
        minimum: (reviewers,) units.
        maximum: (reviewers,) units.
        junior: (papers, reviewers) bool, pairs through the paper's node `junior`.
        junior_limit: (papers,) units through the node `junior`.
        pair_capacity: Units of one piece of a pair.
        slopes: Factors of a positive weight, descending, one for each piece of a pair.
    """

    eligible: Bools
    weight: npt.NDArray[np.integer]
    needed: Ints
    minimum: Ints
    maximum: Ints
    junior: Bools
    junior_limit: Ints
    pair_capacity: int = 1
    slopes: tuple[float, ...] = (1.0,)

    @classmethod
    def from_problem(cls, problem: AssignmentProblem) -> "FlowProblem":
        """Return the demands of a problem without its locked pairs; see `overbooked`."""
        paper, reviewer = problem.locked.T
        load = np.bincount(reviewer, minlength=problem.reviewers)
        juniors = np.bincount(paper[~problem.senior[reviewer]], minlength=problem.papers)
        seniors = np.minimum(problem.seniors_per_paper, problem.needed)
        mixed = problem.seniors_per_paper > 0
        return cls(
            eligible=problem.eligible,
            weight=problem.weight,
            needed=problem.needed - np.bincount(paper, minlength=problem.papers),
            minimum=np.maximum(0, problem.minimum - load),
            maximum=problem.maximum - load,
            junior=np.broadcast_to(~problem.senior & mixed, problem.affinity.shape),
            junior_limit=(problem.needed - seniors - juniors) * mixed,
        )

    @property
    def overbooked(self) -> int:
        """The number of locked pairs above the needs of papers and the maximum loads."""
        bounds = (self.needed, self.junior_limit, self.maximum)
        return sum(-int(np.minimum(bound, 0).sum()) for bound in bounds)

    @property
    def displacement(self) -> int:
        """A bound of the weight that displacing other units can gain or lose.

        A chain of displaced units visits each node at most once, which bounds its length.
        """
        papers, reviewers = map(int, self.weight.shape)
        chain = min(papers * (2 if self.junior.any() else 1), reviewers) + 1
        highest, lowest = int(self.weight.max(initial=0)), int(self.weight.min(initial=0))
        spread = highest - min(lowest, int(highest * self.slopes[-1]) - 1)
        return chain * spread + 1

    def scaled(
        self, unit: int, pair_capacity: int, slopes: tuple[float, ...] = (1.0,)
    ) -> "FlowProblem":
        """Return the same demands in units that are `unit` times smaller."""
        names = ("needed", "minimum", "maximum", "junior_limit")
        demands = {name: getattr(self, name) * unit for name in names}
        return replace(self, **demands, pair_capacity=pair_capacity, slopes=slopes)

    def sloped(self, weight: npt.NDArray[np.integer], slope: float) -> npt.NDArray[np.int64]:
        """Return weights of a piece with this slope; weights of 0 or less do not change."""
        values = weight.astype(np.int64)
        return values if slope == 1 else np.where(values > 0, np.rint(values * slope), values)

    def blocks(self) -> Iterator[slice]:
        """Yield ranges of papers, a bounded number of pairs each."""
        papers, reviewers = self.weight.shape
        step = max(1, _BLOCK // max(1, reviewers))
        return (slice(start, min(papers, start + step)) for start in range(0, papers, step))

    def best_pairs(self, limit: int) -> Ints:
        """Return keys of the best pairs of each paper and some of each reviewer, sorted.

        The key of a pair is paper * reviewers + reviewer.
        """
        reviewers = self.weight.shape[1]
        keys = [np.empty(0, np.int64)]
        for rows in self.blocks():
            value = self.weight[rows].astype(np.int64)
            value[~self.eligible[rows]] = _INELIGIBLE
            keys.append(_find_highest(value, _INELIGIBLE, limit) + rows.start * reviewers)
            reviewer, paper = np.divmod(_find_highest(value.T, _INELIGIBLE, 1), len(value))
            keys.append((paper + rows.start) * reviewers + reviewer)
        return _distinct(np.concatenate(keys))


@dataclass(frozen=True, eq=False)
class Flow:
    """An optimal flow over some pairs of a problem, the columns.

    Attributes:
        problem: The problem.
        columns: (n,) keys of pairs, sorted; a key occurs once for each piece.
        tail: (arcs,) start nodes; the arcs of the columns come first.
        head: (arcs,) end nodes.
        capacity: (arcs,) capacities.
        cost: (arcs,) costs of a unit.
        units: (arcs,) units of flow.
    """

    problem: FlowProblem
    columns: Ints
    tail: Ints
    head: Ints
    capacity: Ints
    cost: Ints
    units: Ints

    @property
    def column_units(self) -> Ints:
        """(columns,) units that each piece of a pair carries."""
        return self.units[: self.columns.size]

    @property
    def chosen(self) -> Ints:
        """(n, 2) paper and reviewer of the pairs that carry units."""
        keys = _distinct(self.columns[self.column_units > 0])
        return np.stack(np.divmod(keys, max(1, self.problem.weight.shape[1])), 1)

    def merged(self) -> "Flow":
        """Return the flow with one arc for all pieces of a pair."""
        pieces = len(self.problem.slopes)
        first = np.r_[0 : self.columns.size : pieces, self.columns.size : self.tail.size]
        return replace(
            self,
            columns=self.columns[::pieces],
            tail=self.tail[first],
            head=self.head[first],
            capacity=np.add.reduceat(self.capacity, first),
            cost=self.cost[first],
            units=np.add.reduceat(self.units, first),
        )

    @property
    def value(self) -> int:
        """The summed weight of all units."""
        return -int(self.column_units @ self.cost[: self.columns.size])

    @property
    def unplaced(self) -> Ints:
        """(papers,) units that no reviewer takes."""
        papers = len(self.problem.needed)
        return self.units[self.columns.size + papers :][:papers]

    @property
    def unmet(self) -> Ints:
        """(reviewers,) units below the minimum load."""
        start = self.columns.size + 2 * len(self.problem.needed)
        return self.problem.minimum - self.units[start:][: len(self.problem.minimum)]

    @property
    def missing(self) -> int:
        """The number of units that break a demand."""
        return int(self.unplaced.sum() + self.unmet.sum())

    @cached_property
    def prices(self) -> tuple[Ints, Ints, Ints]:
        """Shortest distances from the sink along residual arcs: papers, junior nodes, reviewers.

        An eligible pair can improve the flow only if it makes a distance shorter. Nodes that no
        arc reaches are infinitely far. Reviewers without units have the cost of their cheapest arc
        to the sink, and reviewers with a maximum load of 0 have minus infinity.
        """
        papers, reviewers = self.problem.weight.shape
        sink = 2 * papers + reviewers
        forward, backward = self.units < self.capacity, self.units > 0
        tail = np.concatenate([self.tail[forward], self.head[backward]])
        head = np.concatenate([self.head[forward], self.tail[backward]])
        cost = np.concatenate([self.cost[forward], -self.cost[backward]])
        distance = np.full(sink + 1, _INFINITE)
        distance[sink] = 0
        idle = np.bincount(self.head, self.units, sink + 1)[2 * papers : sink] == 0
        penalty = int(self.cost.max(initial=0))
        nearest = np.where(self.problem.minimum > 0, penalty, 0)
        nearest[self.problem.maximum == 0] = -_INFINITE
        distance[2 * papers : sink][idle] = nearest[idle]
        order = np.argsort(head, kind="stable")
        tail, head, cost = tail[order], head[order], cost[order]
        first = np.flatnonzero(np.diff(head, prepend=-1))
        reached = head[first]
        while first.size:  # Bellman and Ford
            shorter = np.minimum.reduceat(distance[tail] + cost, first)
            if (shorter >= distance[reached]).all():
                break
            distance[reached] = np.minimum(distance[reached], shorter)
        return distance[:papers], distance[papers : 2 * papers], distance[2 * papers : sink]

    def pairs_above(self, gain: int, limit: int | None = None) -> Ints:
        """Return keys of eligible pairs without units whose gain by the prices is above `gain`.

        An assignment that uses a pair of gain -g is worth at most this flow minus g. `limit` is
        the maximum number of pairs of each paper.
        """
        keys = self.chosen @ np.array([len(self.problem.maximum), 1])
        return pairs_above(self.problem, self.prices, gain, limit, keys)


def solve(problem: FlowProblem, first: Ints | None = None) -> Flow:
    """Return the flow with the fewest missing units, and among such flows the highest weight.

    Args:
        problem: The demands.
        first: Sorted keys of pairs to start with, eligible or not; by default the best pairs.
    """
    pieces = len(problem.slopes)
    limit = COLUMNS + int(2 * problem.needed.max(initial=0) // (problem.pair_capacity * pieces))
    keys = problem.best_pairs(limit) if first is None else first
    keys = keys[problem.eligible.ravel()[keys]]
    while True:
        flow = _solve_columns(problem, keys)
        keys = _distinct(np.concatenate([keys, flow.pairs_above(0, limit)]))
        if keys.size * pieces == flow.columns.size:
            return flow


def pairs_above(
    problem: FlowProblem,
    prices: tuple[Ints, Ints, Ints],
    gain: int,
    limit: int | None = None,
    excluded: Ints | None = None,
    extra: Sequence[sparse.csr_array] = (),
) -> Ints:
    """Return keys of eligible pairs whose gain by prices is above `gain`.

    Args:
        problem: The problem.
        prices: Prices of papers, of their nodes `junior`, and of reviewers.
        gain: Bound of the gain.
        limit: Maximum number of pairs of each paper.
        excluded: Sorted keys of pairs to omit.
        extra: Gains of pairs in addition, (papers, reviewers) each.
    """
    papers, junior, reviewer = prices
    reviewers = len(reviewer)
    omitted = np.empty(0, np.int64) if excluded is None else excluded
    keys = [np.empty(0, np.int64)]
    for rows in problem.blocks():
        price = np.where(problem.junior[rows], junior[rows, None], papers[rows, None])
        gains = problem.sloped(problem.weight[rows], problem.slopes[0]) + (reviewer - price)
        for addition in extra:
            gains += addition[rows].toarray().astype(np.int64)
        gains[~problem.eligible[rows]] = _INELIGIBLE
        first, last = np.searchsorted(omitted, (rows.start * reviewers, rows.stop * reviewers))
        gains.ravel()[omitted[first:last] - rows.start * reviewers] = _INELIGIBLE
        keys.append(_find_highest(gains, gain, limit or reviewers) + rows.start * reviewers)
    return np.concatenate(keys)


def solve_feasible(problem: FlowProblem) -> Flow:
    """Return the optimal flow; raise InfeasibleError if units are missing."""
    if problem.overbooked:
        raise InfeasibleError(problem.overbooked)
    flow = solve(problem)
    if flow.missing:
        raise InfeasibleError(flow.missing)
    return flow


def _solve_columns(problem: FlowProblem, keys: Ints) -> Flow:
    papers, reviewers = problem.weight.shape
    chosen = problem.weight.ravel()[keys]
    weight = np.stack([problem.sloped(chosen, slope) for slope in problem.slopes], 1).ravel()
    keys = np.repeat(keys, len(problem.slopes))
    paper, reviewer = np.divmod(keys, max(1, reviewers))
    lowest, highest = int(weight.min(initial=0)), int(weight.max(initial=0))
    penalty = problem.displacement + abs(lowest) + abs(highest)
    p, r = np.arange(papers), 2 * papers + np.arange(reviewers)
    sink = 2 * papers + reviewers
    if penalty * (sink + 2) > _MAX_COST:
        raise InputError(
            "the problem has too many papers or too large affinities for 64-bit integers"
        )
    is_junior = problem.junior[paper, reviewer]
    arcs = (
        (paper + papers * is_junior, r[reviewer], problem.pair_capacity, -weight),
        (p, p + papers, problem.junior_limit, 0),
        (p, sink, problem.needed, penalty),
        (r, sink, problem.minimum, -penalty),
        (r, sink, problem.maximum - problem.minimum, 0),
    )
    columns = zip(*(np.broadcast_arrays(*arc) for arc in arcs), strict=True)
    tail, head, capacity, cost = (np.concatenate(parts).astype(np.int64) for parts in columns)
    with extra("match"):
        from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    solver = SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(
        tail.astype(np.int32), head.astype(np.int32), capacity, cost
    )
    supply = np.zeros(sink + 1, np.int64)
    supply[:papers], supply[sink] = problem.needed, -problem.needed.sum()
    solver.set_nodes_supplies(np.arange(sink + 1, dtype=np.int32), supply)
    if (status := solver.solve()) != SimpleMinCostFlow.OPTIMAL:
        raise InputError(f"OR-Tools could not solve the flow: {status}")
    units = np.asarray(solver.flows(np.arange(tail.size, dtype=np.int32)))
    return Flow(problem, keys, tail, head, capacity, cost, units)


def _distinct(keys: Ints) -> Ints:
    """Return distinct keys, sorted; np.unique takes ten times as long for millions of them."""
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=-1) > 0]


def _find_highest(values: npt.NDArray[np.int64], bound: int, limit: int) -> Ints:
    """Return flat places of the `limit` highest values of each row that are above `bound`."""
    columns = values.shape[1]
    rows = np.flatnonzero((values > bound).any(1))
    candidates = values[rows]
    if limit < columns:
        top = np.argpartition(candidates, columns - limit, axis=1)[:, columns - limit :]
        is_above = np.take_along_axis(candidates, top, 1) > bound
        return np.asarray((top + rows[:, None] * columns)[is_above], np.int64)
    row, column = np.nonzero(candidates > bound)
    return np.asarray(rows[row] * columns + column, np.int64)
