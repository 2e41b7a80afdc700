"""One flow over a set of pairs, exact to the integer, and its prices.

    paper --> reviewer --> sink        a paper sends as many units as it needs reviewers
    paper --> aside --> reviewer       but only so many of them through its node `aside`
    paper --> spare --> reviewer, sink what cannot be placed, at a price above all else

A minimum load is what the reviewer keeps for itself; the arc to the sink takes the rest.
"""

from dataclasses import dataclass, replace

import numpy as np
from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.problem import Bools, Ints

_LARGEST = 1 << 62


@dataclass(frozen=True, eq=False)
class Demand:
    """needed, aside: (papers,); minimum, maximum: (reviewers,), all in units of flow.

    side: bool, (papers or 1, reviewers), the pairs that go through the paper's node `aside`, of
    which a paper has at most `aside`. most: the units that one pair can carry.
    """

    needed: Ints
    aside: Ints
    minimum: Ints
    maximum: Ints
    side: Bools
    most: int = 1

    def times(self, unit: int, most: int) -> "Demand":
        """The same in units so many times smaller, of which a pair carries at most `most`."""
        return replace(
            self,
            needed=self.needed * unit,
            aside=self.aside * unit,
            minimum=self.minimum * unit,
            maximum=self.maximum * unit,
            most=most,
        )

    @property
    def exceeded(self) -> int:
        """By how much locked pairs alone exceed it."""
        parts = (self.needed, self.aside, self.maximum)
        return -sum(int(np.minimum(part, 0).sum()) for part in parts)

    @property
    def chain(self) -> int:
        """Pairs, at most, that one unit sets moving: none of their ends is visited twice."""
        mixed = 2 if self.side.any() else 1
        return min(mixed * len(self.needed), len(self.minimum)) + 1

    def sides(self, papers: Ints, reviewers: Ints) -> Bools:
        """Which of these pairs go through `aside`."""
        side: Bools = self.side[papers if len(self.side) > 1 else 0, reviewers]
        return side


@dataclass(frozen=True, eq=False)
class Flow:
    """An optimal flow over some pairs.

    paper, reviewer, units: (pairs,); unplaced: (papers,) units that no reviewer takes; unmet:
    (reviewers,) units short of the minimum; cost: of the pairs. All arcs, pairs first: tail, head,
    capacity, length, carried.
    """

    papers: int
    reviewers: int
    paper: Ints
    reviewer: Ints
    tail: Ints
    head: Ints
    capacity: Ints
    length: Ints
    carried: Ints

    @property
    def units(self) -> Ints:
        """(pairs,)."""
        return self.carried[: len(self.paper)]

    @property
    def unplaced(self) -> Ints:
        """(papers,)."""
        return self.carried[len(self.paper) :][self.papers : 2 * self.papers]

    @property
    def unmet(self) -> Ints:
        """(reviewers,)."""
        start = len(self.paper) + 2 * self.papers + self.reviewers
        return self.carried[start : start + self.reviewers]

    @property
    def missing(self) -> int:
        """Units that break a demand."""
        return int(self.unplaced.sum() + self.unmet.sum())

    @property
    def cost(self) -> int:
        """Of the pairs that carry."""
        return int(self.units @ self.length[: len(self.paper)])

    @property
    def chosen(self) -> Ints:
        """Pairs that carry, (n, 2)."""
        used = self.units > 0
        return np.stack([self.paper[used], self.reviewer[used]], 1)

    def residual(self) -> tuple[Ints, Ints, Ints]:
        """Tails, heads and lengths of the arcs along which the flow can still change."""
        ahead, back = self.carried < self.capacity, self.carried > 0
        return (
            np.concatenate([self.tail[ahead], self.head[back]]),
            np.concatenate([self.head[ahead], self.tail[back]]),
            np.concatenate([self.length[ahead], -self.length[back]]),
        )

    def prices(self) -> Ints:
        """(nodes,): along each residual arc the price rises by no more than the arc's length.

        Such prices prove that the flow is optimal over its pairs; over all, when the rule holds for
        the pairs left out too. They are the longest of those that are nowhere below 0.
        """
        tail, head, length = self.residual()
        return -_distances(2 * self.papers + self.reviewers + 2, head, tail, length)


def solve(demand: Demand, paper: Ints, reviewer: Ints, cost: Ints) -> Flow:
    """The flow over these pairs that misses the fewest units, and of those the cheapest."""
    papers, reviewers = len(demand.needed), len(demand.minimum)
    first, sink, spare = 2 * papers, 2 * papers + reviewers, 2 * papers + reviewers + 1
    p, r = np.arange(papers), np.arange(first, sink)
    few, many = (int(cost.min()), int(cost.max())) if cost.size else (0, 0)
    penalty = demand.chain * (many - few) + abs(many) + abs(few) + 1
    if penalty * (spare + 2) > _LARGEST:
        raise InputError("papers and affinities are too many and too large for a flow of integers")
    more = int(demand.needed.sum() - demand.minimum.sum())
    total = int(demand.needed.sum() + demand.minimum.sum())
    through = np.where(demand.sides(paper, reviewer), papers, 0)
    columns = (
        (paper + through, reviewer + first, np.full(paper.size, demand.most), cost),
        (p, p + papers, demand.aside, np.zeros(papers, np.int64)),
        (p, np.full(papers, spare), demand.needed, np.full(papers, penalty)),
        (
            r,
            np.full(reviewers, sink),
            demand.maximum - demand.minimum,
            np.zeros(reviewers, np.int64),
        ),
        (np.full(reviewers, spare), r, demand.minimum, np.full(reviewers, penalty)),
        ([spare], [sink], [total], [0]),
    )
    tail, head, capacity, length = (
        np.concatenate([np.asarray(part, np.int64) for part in parts])
        for parts in zip(*columns, strict=True)
    )
    supply = np.zeros(spare + 1, np.int64)
    supply[:papers], supply[first:sink] = demand.needed, -demand.minimum
    supply[sink], supply[spare] = -max(0, more), max(0, -more)
    solver = SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(
        tail.astype(np.int32), head.astype(np.int32), capacity, length
    )
    solver.set_nodes_supplies(np.arange(spare + 1, dtype=np.int32), supply)
    if (status := solver.solve()) != SimpleMinCostFlow.OPTIMAL:
        raise InputError(f"OR-Tools could not solve the flow: {status}")
    carried = np.asarray(solver.flows(np.arange(tail.size, dtype=np.int32)))
    return Flow(papers, reviewers, paper, reviewer, tail, head, capacity, length, carried)


def _distances(nodes: int, tail: Ints, head: Ints, length: Ints) -> Ints:
    """How far it is to each node from wherever is nearest, at most 0: Bellman and Ford's rounds."""
    order = np.argsort(head, kind="stable")
    tail, head, length = tail[order], head[order], length[order]
    first = np.flatnonzero(np.diff(head, prepend=-1))
    reached, distance = head[first], np.zeros(nodes, np.int64)
    while first.size:
        found = np.minimum.reduceat(distance[tail] + length, first)
        if (found >= distance[reached]).all():
            break
        distance[reached] = np.minimum(distance[reached], found)
    return distance
