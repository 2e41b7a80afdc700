"""The best assignment over all pairs, from flows over a few of them.

Most pairs are never chosen: the flow begins with each paper's and each reviewer's best ones. The
prices of its optimum then tell of every other pair whether it could raise the total; those that
could are added, until there is none (column generation: Ahuja, Magnanti, Orlin, Network Flows,
1993, section 17.5). What is left then is the optimum over all pairs, to the millionth.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.network import Demand, Flow, solve
from specter_graph.matching.assignment.problem import (
    Bools,
    InfeasibleError,
    Ints,
    Problem,
)

BEST = 30
_BLOCK = 1 << 20  # pairs that are priced at once
NEVER = -(1 << 62)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What pairs there are to choose from.

    eligible: (papers, reviewers) bool; weight: int32 of that shape; favoured: (n,) keys (paper *
    reviewers + reviewer), sorted, of pairs that are worth `favour` more.
    """

    eligible: Bools
    weight: npt.NDArray[np.int32]
    favoured: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    favour: int = 0

    def blocks(self) -> Iterator[slice]:
        """Papers, some at a time."""
        papers, reviewers = self.weight.shape
        step = max(1, _BLOCK // max(1, reviewers))
        return (slice(start, min(papers, start + step)) for start in range(0, papers, step))

    def value(self, keys: Ints) -> Ints:
        """(n,): what these pairs are worth."""
        favoured = np.isin(keys, self.favoured, assume_unique=True)
        return self.weight.ravel()[keys] + favoured * np.int64(self.favour)

    def values(self, rows: slice) -> Ints:
        """(rows, reviewers): what the pairs of these papers are worth."""
        value = self.weight[rows].astype(np.int64)
        first = rows.start * self.weight.shape[1]
        start, stop = np.searchsorted(self.favoured, [first, first + value.size])
        value.ravel()[self.favoured[start:stop] - first] += self.favour
        return value

    def best(self, each: int) -> Ints:
        """Keys, sorted: the best pairs of each paper, some of each reviewer, and the favoured."""
        reviewers = self.weight.shape[1]
        keys = [self.favoured]
        for rows in self.blocks():
            value = np.where(self.eligible[rows], self.values(rows), NEVER)
            keys.append(above(value, NEVER, each) + rows.start * reviewers)
            reviewer, paper = np.divmod(above(value.T, NEVER, 1), len(value))
            keys.append((paper + rows.start) * reviewers + reviewer)
        return np.unique(np.concatenate(keys))

    def all(self) -> Ints:
        """Keys of all eligible pairs."""
        return np.flatnonzero(self.eligible)

    def worth_adding(self, flow: Flow, demand: Demand, each: int) -> Ints:
        """Keys of pairs that the flow lacks and that could improve it; none: it is the optimum."""
        papers, reviewers = self.weight.shape
        price = flow.prices()
        paid = price[2 * papers : 2 * papers + reviewers]
        chosen = flow.chosen
        keys = [np.empty(0, np.int64)]
        for rows in self.blocks():
            side = demand.side[rows] if len(demand.side) > 1 else demand.side
            direct, aside = price[rows, None], price[papers:][rows, None]
            gain = self.values(rows) + (paid - np.where(side, aside, direct))
            gain[~self.eligible[rows]] = 0
            own = chosen[(chosen[:, 0] >= rows.start) & (chosen[:, 0] < rows.stop)]
            gain[own[:, 0] - rows.start, own[:, 1]] = 0
            keys.append(above(gain, 0, each) + rows.start * reviewers)
        return np.concatenate(keys)


@dataclass(frozen=True, eq=False)
class Optimum:
    """An optimal flow over all pairs, and how many flows it took."""

    flow: Flow
    rounds: int


def optimum(
    pairs: Pairs, demand: Demand, best: int | None = BEST, first: Ints | None = None
) -> Optimum:
    """The flow that misses the fewest units and of those is worth most, over all eligible pairs.

    `best` is how many pairs of a paper the first round has, None for all; `first` are keys of pairs
    to begin with instead, sorted, those that are not eligible among them.
    """
    reviewers = pairs.weight.shape[1]
    each = None if best is None else best + int(2 * demand.needed.max(initial=0) // demand.most)
    if first is None:
        first = pairs.all() if each is None else pairs.best(each)
    keys = first[pairs.eligible.ravel()[first]]
    rounds = 1
    while True:
        flow = solve(demand, keys // reviewers, keys % reviewers, -pairs.value(keys))
        if each is None:
            break
        grown = np.union1d(keys, pairs.worth_adding(flow, demand, each))
        if grown.size == keys.size:
            break
        keys, rounds = grown, rounds + 1
    return Optimum(flow, rounds)


def demand_of(problem: Problem) -> Demand:
    """What is to be placed beside the locked pairs; a negative number is one that these exceed."""
    paper, reviewer = problem.locked.T
    held = np.bincount(paper, minlength=problem.papers)
    load = np.bincount(reviewer, minlength=problem.reviewers)
    juniors = np.bincount(paper[~problem.senior[reviewer]], minlength=problem.papers)
    most = problem.needed - np.minimum(problem.seniors_per_paper, problem.needed) - juniors
    mixed = problem.seniors_per_paper > 0
    return Demand(
        needed=problem.needed - held,
        aside=most if mixed else np.zeros(problem.papers, np.int64),
        minimum=np.maximum(0, problem.minimum - load),
        maximum=problem.maximum - load,
        side=~problem.senior[None] if mixed else np.zeros((1, problem.reviewers), np.bool_),
    )


def checked_demand(problem: Problem) -> Demand:
    """`demand_of`, or InfeasibleError where the locked pairs alone exceed it."""
    demand = demand_of(problem)
    if demand.exceeded:
        raise InfeasibleError(demand.exceeded)
    return demand


def outweighing(problem: Problem, demand: Demand) -> int:
    """What is more than all that one pair can gain elsewhere, in millionths, by being moved."""
    spread = int(problem.weight.max(initial=0)) - int(problem.weight.min(initial=0))
    return demand.chain * spread + 1


def feasible_flow(pairs: Pairs, demand: Demand, best: int | None = BEST) -> Optimum:
    """`optimum`, or InfeasibleError."""
    found = optimum(pairs, demand, best)
    if found.flow.missing:
        raise InfeasibleError(found.flow.missing)
    return found


def above(values: npt.NDArray[np.int64], least: int, each: int) -> Ints:
    """Flat places of the `each` highest values of each row that are above `least`."""
    columns = values.shape[1]
    rows = np.flatnonzero((values > least).any(1))
    some = values[rows]
    if each < columns:
        top = np.argpartition(some, columns - each, axis=1)[:, columns - each :]
        inside = np.take_along_axis(some, top, 1) > least
        return np.asarray((top + rows[:, None] * columns)[inside], np.int64)
    row, column = np.nonzero(some > least)
    return np.asarray(rows[row] * columns + column, np.int64)
