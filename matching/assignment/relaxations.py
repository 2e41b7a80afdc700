"""The smallest changes of demands that make an assignment possible; each is shown by solving."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from specter_graph.matching.assignment.flow import Pairs, demand_of, optimum, outweighing
from specter_graph.matching.assignment.problem import Ints, Problem


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A change of the demands with which there is an assignment.

    kind: "maximum" raises all maximum loads by `amount`, "needed" drops so many reviews in all,
    "minimum" takes so many off minimum loads, "seniors" asks each paper for so many fewer,
    "conflicts" lifts and "locked" unlocks `amount` pairs. papers, reviewers: where, as often as
    it applies there. problem: the relaxed one, with `freed` pairs unlocked, minimum loads lower by
    `lowered` in all and `dropped` reviews left out where without that nothing else helps.
    """

    kind: str
    amount: int
    papers: Ints
    reviewers: Ints
    problem: Problem
    freed: int = 0
    lowered: int = 0
    dropped: int = 0

    def __str__(self) -> str:
        papers = count(np.unique(self.papers).size, "paper")
        reviewers = count(np.unique(self.reviewers).size, "reviewer")
        words = {
            "maximum": f"let every reviewer have {count(self.amount, 'paper')} more",
            "needed": f"do without {count(self.amount, 'review')} of {papers}",
            "minimum": f"lower the minimum loads of {reviewers} by {self.amount} in all",
            "seniors": f"ask for {count(self.amount, 'senior reviewer')} fewer per paper",
            "conflicts": f"lift {count(self.amount, 'conflict')} that are not certain",
            "locked": f"unlock {count(self.amount, 'pair')} of {papers} and {reviewers}",
        }
        also = f", and unlock {count(self.freed, 'pair')}" if self.freed else ""
        if self.lowered:
            also += f", and lower minimum loads by {self.lowered} in all"
        if self.dropped and self.kind != "needed":
            also += f", and do without {count(self.dropped, 'review')}"
        return words[self.kind] + also


def count(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def unlocked(problem: Problem) -> Problem:
    """The same with as many of its locked pairs as papers and reviewers may have at once."""
    if not demand_of(problem).exceeded:
        return problem
    free = replace(
        problem, locked=np.empty((0, 2), np.int64), minimum=np.zeros_like(problem.minimum)
    )
    locked = np.zeros(problem.affinity.shape, np.bool_)
    locked[tuple(problem.locked.T)] = True
    kept = optimum(Pairs(locked, np.zeros_like(problem.weight)), demand_of(free)).flow.chosen
    return replace(problem, locked=kept)


def missing(problem: Problem) -> int:
    """Units that break a demand in the best case; 0 where there is an assignment."""
    pairs, demand = Pairs(problem.eligible, problem.weight), demand_of(problem)
    return demand.exceeded or optimum(pairs, demand).flow.missing


def relaxations(
    problem: Problem, free: Problem, unplaced: Ints, unmet: Ints, uncertain: Ints | None
) -> Iterator[Relaxation]:
    """Those that help, of a problem and the same `unlocked`.

    unplaced: (papers,) reviews that nobody can take; unmet: (reviewers,) that minimum loads lack.
    """
    none = np.empty(0, np.int64)
    freed, lowered = len(problem.locked) - len(free.locked), int(unmet.sum())
    dropped = problem.needed - free.needed
    base = replace(free, minimum=free.minimum - unmet)
    if (dropped + unplaced).any():
        steps = [*_dropped(base, dropped, unplaced), *_lifted(base, dropped, uncertain)]
        if unplaced.any():
            steps += [*_raised(base), *_fewer_seniors(base)]
    elif lowered:
        steps = [("minimum", lowered, none, np.repeat(np.arange(unmet.size), unmet), base)]
    else:
        gone = _difference(problem.locked, free.locked)
        steps = [("locked", freed, gone[:, 0], gone[:, 1], base)]
    for kind, amount, papers, reviewers, relaxed in steps:
        if kind in ("maximum", "seniors") or not missing(relaxed):  # those have been solved
            left_out = int((problem.needed - relaxed.needed).sum())
            also = freed * (kind != "locked"), lowered * (kind != "minimum"), left_out
            yield Relaxation(kind, amount, papers, reviewers, relaxed, *also)


_Step = tuple[str, int, Ints, Ints, Problem]


def _raised(base: Problem) -> Iterator[_Step]:
    """The least that, added to every maximum load, is enough."""

    def more(amount: int) -> Problem:
        return replace(base, maximum=base.maximum + amount)

    if missing(more(base.papers)):
        return
    lacking = int(base.needed.sum() - base.maximum.sum())
    low = max(0, -(-lacking // max(1, base.reviewers)) - 1)  # it cannot be enough
    step = 1
    while missing(more(low + step)):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if missing(more(middle)) else (low, middle)
    none = np.empty(0, np.int64)
    yield "maximum", high, none, none, more(high)


def _dropped(base: Problem, dropped: Ints, unplaced: Ints) -> Iterator[_Step]:
    """The reviews that cannot be placed: no fewer can be dropped."""
    every = dropped + unplaced
    papers, none = np.repeat(np.arange(every.size), every), np.empty(0, np.int64)
    yield "needed", papers.size, papers, none, replace(base, needed=base.needed - unplaced)


def _lifted(base: Problem, dropped: Ints, uncertain: Ints | None) -> Iterator[_Step]:
    """The fewest uncertain conflicts whose lifting is enough, for all reviews: each has a price."""
    if uncertain is None or not len(uncertain):
        return
    base = replace(base, needed=base.needed + dropped)
    doubted = np.asarray(uncertain, np.int64).reshape(-1, 2)
    doubted = doubted[~base.allowed[tuple(doubted.T)]]
    allowed = base.allowed.copy()
    allowed[tuple(doubted.T)] = True
    lifted, demand = replace(base, allowed=allowed), demand_of(base)
    keys = np.unique(doubted @ np.array([base.reviewers, 1]))
    pairs = Pairs(lifted.eligible, base.weight, keys, -outweighing(base, demand))
    chosen = optimum(pairs, demand).flow.chosen
    used = chosen[~base.allowed[tuple(chosen.T)]]
    allowed = base.allowed.copy()
    allowed[tuple(used.T)] = True
    yield "conflicts", len(used), used[:, 0], used[:, 1], replace(base, allowed=allowed)


def _fewer_seniors(base: Problem) -> Iterator[_Step]:
    """The least by which each paper's number of seniors must fall."""
    none = np.empty(0, np.int64)
    for fewer in range(1, base.seniors_per_paper + 1):
        relaxed = replace(base, seniors_per_paper=base.seniors_per_paper - fewer)
        if not missing(relaxed):
            yield "seniors", fewer, none, none, relaxed
            return


def _difference(pairs: Ints, others: Ints) -> Ints:
    """The pairs that are not among the others."""
    kept = {*map(tuple, others.tolist())}
    gone = [pair for pair in pairs.tolist() if tuple(pair) not in kept]
    return np.array(gone, np.int64).reshape(-1, 2)
