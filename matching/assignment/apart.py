"""The best assignment where no paper has two reviewers of one affiliation.

That is no flow. HiGHS solves the linear programme without the demand that a pair is taken whole,
over a few pairs and the few affiliations that would be broken; its prices, rounded to integers,
bound the total over all pairs, and no pair whose price is further from the bound than the best
assignment found can be in a better one. Over the pairs that remain HiGHS finds the optimum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, milp

from specter_graph.core.errors import InputError
from specter_graph.matching.assignment.flow import (
    NEVER,
    Pairs,
    above,
    feasible_flow,
)
from specter_graph.matching.assignment.network import Demand, Flow
from specter_graph.matching.assignment.problem import SCALE, InfeasibleError, Ints

_SOME = 12  # pairs of a paper in the first programme
_NOISE = 4  # millionths: what rounding the prices may lend to a pair
_TRUE = 1e-6
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Groups:
    """Who is of which affiliation: member, (reviewers, affiliations) of 0 and 1."""

    member: sparse.csr_array

    @classmethod
    def of(cls, affiliations: tuple[tuple[int, ...], ...]) -> "Groups":
        """Those with two reviewers at least; numbers may be any."""
        reviewer = np.repeat(np.arange(len(affiliations)), [len({*own}) for own in affiliations])
        number = [one for own in affiliations for one in {*own}]
        _, place = np.unique(np.asarray(number, np.int64), return_inverse=True)
        size = (len(affiliations), int(place.max(initial=-1)) + 1)
        member = sparse.csr_array((np.ones(place.size), (reviewer, place)), shape=size)
        return cls(sparse.csr_array(member[:, np.flatnonzero(member.sum(0) > 1)]))

    def load(self, papers: int, pairs: Ints, share: Reals) -> sparse.csr_array:
        """(papers, affiliations): how many reviewers of each affiliation a paper has."""
        shape = (papers, self.member.shape[0])
        return sparse.csr_array((share, tuple(pairs.T)), shape=shape) @ self.member

    def broken(self, papers: int, pairs: Ints, share: Reals) -> Ints:
        """Rows (paper * affiliations + affiliation) with more than one, sorted."""
        load = self.load(papers, pairs, share).tocoo()
        over = load.data > 1 + _TRUE
        return np.sort(load.row[over].astype(np.int64) * load.shape[1] + load.col[over])


@dataclass(frozen=True, eq=False)
class Prices:
    """What each demand adds to the cost of a pair: integers, of which any are right for a bound.

    paper, junior: (papers,); most, least: (reviewers,), of the loads; rows and row: (n,), of
    affiliations at papers.
    """

    paper: Ints
    most: Ints
    least: Ints
    junior: Ints
    row: Ints
    rows: Ints


@dataclass(frozen=True, eq=False)
class Programme:
    """All pairs of a problem, its demands and its affiliations."""

    pairs: Pairs
    demand: Demand
    groups: Groups

    @cached_property
    def penalty(self) -> float:
        """What a review that nobody takes costs."""
        weight = self.pairs.weight
        spread = int(weight.max(initial=0)) - int(weight.min(initial=0)) + self.pairs.favour
        return (2 * len(weight) + 2) * (spread + 1) / SCALE

    def limits(self, keys: Ints, rows: Ints) -> tuple[list[sparse.csr_array], list[Ints]]:
        """Sums of these pairs and what they may be at most, in the order of Prices."""
        papers, reviewers = self.pairs.weight.shape
        paper, reviewer = np.divmod(keys, reviewers)
        place = np.arange(keys.size)
        junior = self.demand.sides(paper, reviewer)
        own = self.groups.member[reviewer].tocoo()
        row = paper[own.row] * self.groups.member.shape[1] + own.col
        inside = np.isin(row, rows)

        def sums(which: Ints, pair: Ints, count: int) -> sparse.csr_array:
            return sparse.csr_array((np.ones(pair.size), (which, pair)), shape=(count, keys.size))

        load = sums(reviewer, place, reviewers)
        return [
            sums(paper, place, papers),
            load,
            -load,
            sums(paper[junior], place[junior], papers),
            sums(np.searchsorted(rows, row[inside]), own.row[inside], rows.size),
        ], [
            self.demand.needed,
            self.demand.maximum,
            -self.demand.minimum,
            self.demand.aside,
            np.ones(rows.size, np.int64),
        ]

    def relaxed(self, keys: Ints, rows: Ints) -> tuple[Reals, float, Prices]:
        """Shares of the pairs, what cannot be met, and the prices: a linear programme."""
        papers, reviewers = self.pairs.weight.shape
        [equal, *upper], [needed, *most] = self.limits(keys, rows)
        nobody = sparse.eye_array(papers), sparse.csr_array((papers, reviewers))
        idle = [sparse.csr_array((len(part), papers + reviewers)) for part in most]
        idle[1] = sparse.hstack(
            [sparse.csr_array((reviewers, papers)), -sparse.eye_array(reviewers)]
        )
        cost = np.full(keys.size + papers + reviewers, self.penalty)
        cost[: keys.size] = -self.pairs.value(keys) / SCALE
        top = np.full(cost.size, np.inf)
        top[: keys.size] = 1
        found = linprog(
            cost,
            A_eq=sparse.hstack([equal, *nobody]),
            b_eq=needed,
            A_ub=sparse.vstack([sparse.hstack(both) for both in zip(upper, idle, strict=True)]),
            b_ub=np.concatenate(most),
            bounds=np.stack([np.zeros(cost.size), top], 1),
            method="highs",
        )
        if found.status:
            raise InputError(f"HiGHS could not solve the programme: {found.message}")
        ends = np.cumsum([len(part) for part in most])[:-1]
        limits = np.rint(-found.ineqlin.marginals * SCALE).astype(np.int64).clip(0)
        paper = np.rint(-found.eqlin.marginals * SCALE).astype(np.int64)
        load, least, junior, row = np.split(limits, ends)
        prices = Prices(paper, load, least, junior, row, rows)
        return found.x[: keys.size], float(found.x[keys.size :].sum()), prices

    def gains(self, prices: Prices) -> Iterator[tuple[int, Ints]]:
        """What each pair is worth above its price, some papers at a time, from paper `start`.

        (papers, reviewers) int64, far below zero where a pair is not eligible.
        """
        groups = self.groups.member.shape[1]
        shape = len(self.pairs.weight), groups
        each = sparse.csr_array((prices.row, np.divmod(prices.rows, max(1, groups))), shape=shape)
        for rows in self.pairs.blocks():
            side = self.demand.side
            gain = self.pairs.values(rows) - prices.paper[rows, None]
            gain -= prices.most - prices.least
            gain -= np.where(side[rows] if len(side) > 1 else side, prices.junior[rows, None], 0)
            apart = (each[rows] @ self.groups.member.T).tocoo()
            gain[apart.row, apart.col] -= apart.data.astype(np.int64)
            gain[~self.pairs.eligible[rows]] = NEVER
            yield rows.start, gain

    def above(self, prices: Prices, least: int, each: int) -> Ints:
        """Keys of the pairs that are worth more than `least` above their price, sorted."""
        reviewers = self.pairs.weight.shape[1]
        found = [above(gain, least, each) + at * reviewers for at, gain in self.gains(prices)]
        return np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def bound(self, prices: Prices) -> int:
        """No assignment is worth more, in millionths."""
        demand = self.demand
        return int(
            prices.paper @ demand.needed
            + prices.most @ demand.maximum
            - prices.least @ demand.minimum
            + prices.junior @ demand.aside
            + prices.row.sum()
            + sum(int(gain.clip(0).sum()) for _, gain in self.gains(prices))
        )

    def whole(self, keys: Ints, rows: Ints, seconds: float) -> tuple[Ints | None, Ints, bool]:
        """The best of these pairs taken whole, the rows it needed, and whether that is proven."""
        while True:
            sums, most = self.limits(keys, rows)
            least = [most[0], *(np.full(len(part), -np.inf) for part in most[1:])]
            found = milp(
                -self.pairs.value(keys) / SCALE,
                integrality=np.ones(keys.size),
                bounds=(0, 1),
                constraints=LinearConstraint(
                    sparse.vstack(sums), np.concatenate(least), np.concatenate(most)
                ),
                options={"mip_rel_gap": 0.0, "time_limit": seconds},
            )
            if found.x is None:
                return None, rows, found.status == 2
            chosen = keys[found.x > 0.5]
            broken = self.broken(chosen, np.ones(chosen.size))
            if not broken.size:
                return chosen, rows, found.status == 0
            rows = np.union1d(rows, broken)

    def broken(self, keys: Ints, share: Reals) -> Ints:
        """Affiliations that papers would have twice."""
        papers, reviewers = self.pairs.weight.shape
        return self.groups.broken(papers, np.stack(np.divmod(keys, reviewers), 1), share)


def best_apart(
    pairs: Pairs, demand: Demand, groups: Groups, seconds: float
) -> tuple[Ints, int | None]:
    """Keys of the best assignment, and the bound in millionths where it is not proven the best."""
    programme = Programme(pairs, demand, groups)
    reviewers = pairs.weight.shape[1]
    flow = feasible_flow(pairs, demand).flow
    chosen = flow.chosen @ np.array([reviewers, 1])
    rows = programme.broken(chosen, np.ones(chosen.size))
    if not rows.size:
        return chosen, None
    prices = _prices_of(flow)
    keys = np.union1d(chosen, programme.above(prices, -(1 << 62), _SOME))
    while True:
        share, missing, prices = programme.relaxed(keys, rows)
        broken = programme.broken(keys, share)
        more = np.setdiff1d(programme.above(prices, _NOISE, _SOME), keys)
        if not (broken.size or more.size):
            break
        keys, rows = np.union1d(keys, more), np.union1d(rows, broken)
    if missing > _TRUE:
        raise InfeasibleError(int(np.ceil(missing - _TRUE)))
    return _integral(programme, prices, rows, seconds)


def _integral(
    programme: Programme, prices: Prices, rows: Ints, seconds: float
) -> tuple[Ints, int | None]:
    """The best assignment, among pairs no further from their price than it is from the bound."""
    bound, slack = programme.bound(prices), SCALE // 1000
    all_pairs, reviewers = programme.pairs.eligible.sum(), programme.pairs.eligible.shape[1]
    while True:
        keys = programme.above(prices, -slack - 1, reviewers)
        chosen, rows, proven = programme.whole(keys, rows, seconds)
        if chosen is None:
            if not proven:
                raise InputError(
                    f"no assignment with different affiliations was found in {seconds:g} s",
                    "give the search more seconds",
                )
            if keys.size == all_pairs:
                raise InfeasibleError(1)
            slack *= 8
            continue
        gap = bound - int(programme.pairs.value(chosen).sum())
        if gap <= slack and proven:
            return chosen, None
        if not proven or keys.size == all_pairs:
            return chosen, None if proven else bound
        slack = gap


def _prices_of(flow: Flow) -> Prices:
    """The prices of a flow, which knows no affiliations."""
    price = flow.prices()
    papers, sink = flow.papers, 2 * flow.papers + flow.reviewers
    load = price[sink] - price[2 * papers : sink]
    none = np.empty(0, np.int64)
    direct = price[:papers] - price[sink]
    aside = price[papers : 2 * papers] - price[:papers]
    return Prices(direct, load, np.zeros_like(load), aside, none, none)
