"""Explain why there is no assignment, in plain counts, with the smallest changes that help.

A relaxed flow, which may leave reviews unplaced and minimum loads unmet, misses as few of both as
possible. Its prices show the bottleneck (Hall's theorem for flows): the papers that an unplaced
review could be exchanged with have, together, too few places among their eligible reviewers; and
the reviewers that an unmet load could be exchanged with have too few papers.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from specter_graph.matching.assignment.min_cost_flow import Flow, FlowProblem, solve
from specter_graph.matching.assignment.problem import Bools, Ints, Problem

Topics = Sequence[Sequence[str]]
_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Shortage:
    """Papers and reviewers between whom `needed` reviews have only `places` places.

    kind: "papers" that lack reviewers, "seniors" that lack only these, "loads" of reviewers who
    must have more papers than there are for them, "locked" pairs beyond what their papers or
    reviewers may have. In other kinds, locked pairs are neither needed nor in a place. senior: the
    papers, among `papers`, for which only senior reviewers count; topic: the most common.
    """

    kind: str
    papers: Ints
    reviewers: Ints
    needed: int
    places: int
    senior: Ints
    topic: str | None = None

    def __str__(self) -> str:
        papers, reviewers = (
            _count(len(self.papers), "paper"),
            _count(len(self.reviewers), "reviewer"),
        )
        papers += "" if self.topic is None else f" (most often of the topic {self.topic})"
        places = _count(self.places, "place")
        if self.kind == "loads":
            return (
                f"minimum loads: {reviewers} with {self.needed} reviews to do at least may have "
                f"{papers} with {places} for them"
            )
        if self.kind == "locked":
            owner = papers if len(self.papers) else reviewers
            return f"locked pairs: {owner} with {self.needed} of them and {places} for them"
        senior = "senior " if self.kind == "seniors" else ""
        eligible = _count(len(self.reviewers), f"eligible {senior}reviewer")
        have, need = ("has", "it needs") if len(self.papers) == 1 else ("have", "they need")
        only = f" (of {len(self.senior)} of them only the seniors)" if len(self.senior) else ""
        return (
            f"{papers} {have} {eligible} with {places}; {need} {self.needed}{only * (not senior)}"
        )


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A change of the demands with which there is an assignment, and the changed problem.

    kind: "maximum" raises all maximum loads by `amount`, "needed" drops that many reviews,
    "minimum" takes that much off minimum loads, "seniors" asks each paper for that many fewer,
    "conflicts" lifts and "locked" unlocks that many pairs.
    """

    kind: str
    amount: int
    problem: Problem
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a problem has no assignment; without shortages it has one, affiliations disregarded."""

    shortages: tuple[Shortage, ...]
    relaxations: tuple[Relaxation, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, [*self.shortages, *self.relaxations]))


def explain(problem: Problem, topics: Topics = (), uncertain: Ints | None = None) -> Explanation:
    """Return what prevents an assignment, and what would help.

    topics: the topics of each paper; uncertain: (n, 2) pairs whose conflict is not certain and
    might be lifted. Affiliations are disregarded: a flow cannot explain them.
    """
    shortages = _locked_shortages(problem)
    free = _unlocked(problem) if shortages else problem
    demands = FlowProblem.of(free)
    hopeless = _hopeless(demands)
    if hopeless.any():
        shortages.append(_hopeless_shortage(demands, hopeless > 0, topics))
        free = replace(free, needed=free.needed - hopeless)
    flow = _relaxed_flow(free)
    shortages += [*_paper_shortages(flow, topics), *_load_shortages(flow, topics)]
    if not shortages:
        return Explanation((), ())
    return Explanation(tuple(shortages), tuple(_relaxations(problem, free, flow, uncertain)))


def _relaxed_flow(problem: Problem) -> Flow:
    """Return a flow that misses as few units as possible, whatever the affinities."""
    demands = FlowProblem.of(problem)
    return solve(replace(demands, weight=np.zeros_like(demands.weight)))


def _hopeless(demands: FlowProblem) -> Ints:
    """Return (papers,) reviews that have no reviewer even if all other papers need none."""
    choice = (demands.eligible & (demands.maximum > 0)).sum(1)
    lacking: Ints = np.maximum(0, demands.needed - choice)
    return np.minimum(lacking, demands.junior_limit) if demands.junior.any() else lacking


def _hopeless_shortage(demands: FlowProblem, papers: Bools, topics: Topics) -> Shortage:
    rows = np.flatnonzero(papers)
    degree = (demands.eligible[rows] & (demands.maximum > 0)).sum(0)
    return Shortage(
        "papers",
        rows,
        np.flatnonzero(degree),
        int(demands.needed[rows].sum()),
        int(np.minimum(degree, demands.maximum).sum()),
        _NOTHING,
        _topic(rows, topics),
    )


def _paper_shortages(flow: Flow, topics: Topics) -> Iterator[Shortage]:
    """Yield a shortage for each unconnected part of the papers short of reviewers."""
    demands = flow.problem
    direct, through_junior, _ = (distance < 0 for distance in flow.prices)
    senior = direct & ~through_junior & demands.junior.any()
    counts = demands.eligible & direct[:, None] & (demands.maximum > 0)
    counts &= ~(demands.junior & senior[:, None])
    for rows, columns in _components(counts, direct, np.zeros_like(demands.maximum, np.bool_)):
        degree = counts[np.ix_(rows, columns)].sum(0)
        own = rows[senior[rows]]
        yield Shortage(
            "seniors" if own.size == rows.size else "papers",
            rows,
            columns,
            int(demands.needed[rows].sum() - demands.junior_limit[own].sum()),
            int(np.minimum(degree, demands.maximum[columns]).sum()),
            own,
            _topic(rows, topics),
        )


def _load_shortages(flow: Flow, topics: Topics) -> Iterator[Shortage]:
    """Yield a shortage for each unconnected part of the reviewers short of papers."""
    demands = flow.problem
    reviewers = (flow.prices[2] > 0) & (demands.minimum > 0)
    theirs = demands.eligible & reviewers
    junior = np.minimum((theirs & demands.junior).sum(1), demands.junior_limit)
    places = np.minimum(demands.needed, (theirs & ~demands.junior).sum(1) + junior)
    for rows, columns in _components(theirs, np.zeros_like(places, np.bool_), reviewers):
        if flow.unmet[columns].any():
            yield Shortage(
                "loads",
                rows,
                columns,
                int(demands.minimum[columns].sum()),
                int(places[rows].sum()),
                _NOTHING,
                _topic(rows, topics),
            )


def _components(pairs: Bools, papers: Bools, reviewers: Bools) -> Iterator[tuple[Ints, Ints]]:
    """Yield the papers and reviewers without a pair, then those that pairs connect."""
    if (lonely := papers & ~pairs.any(1)).any():
        yield np.flatnonzero(lonely), _NOTHING
    if (lonely := reviewers & ~pairs.any(0)).any():
        yield _NOTHING, np.flatnonzero(lonely)
    rest = pairs.any(1)
    while rest.any():
        rows = np.zeros_like(rest)
        grown = np.arange(rest.size) == rest.argmax()
        while (grown != rows).any():
            rows = grown
            columns = pairs[rows].any(0)
            grown = pairs[:, columns].any(1)
        yield np.flatnonzero(rows), np.flatnonzero(columns)
        rest &= ~rows


def _locked_shortages(problem: Problem) -> list[Shortage]:
    """Return where locked pairs are more than a paper needs or a reviewer may have."""
    demands = FlowProblem.of(problem)
    papers = np.flatnonzero(demands.needed < 0)
    juniors = np.flatnonzero((demands.junior_limit < 0) & (demands.needed >= 0))
    reviewers = np.flatnonzero(demands.maximum < 0)
    seniors = np.minimum(problem.needed[juniors], problem.seniors_per_paper)
    places = (problem.needed[papers], problem.needed[juniors] - seniors, problem.maximum[reviewers])
    excess = (demands.needed[papers], demands.junior_limit[juniors], demands.maximum[reviewers])
    who = ((papers, _NOTHING), (juniors, _NOTHING), (_NOTHING, reviewers))
    return [
        Shortage(
            "locked",
            *both,
            int((most - over).sum()),
            int(most.sum()),
            juniors if both[0] is juniors else _NOTHING,
        )
        for both, most, over in zip(who, places, excess, strict=True)
        if most.size
    ]


def _unlocked(problem: Problem) -> Problem:
    """Return the problem with as many of its locked pairs as papers and reviewers may have."""
    free = replace(problem, locked=_NOTHING, minimum=np.zeros_like(problem.minimum))
    locked = np.zeros(problem.affinity.shape, np.bool_)
    locked[tuple(problem.locked.T)] = True
    weight = np.zeros(problem.affinity.shape, np.int32)
    flow = solve(replace(FlowProblem.of(free), eligible=locked, weight=weight))
    return replace(problem, locked=flow.chosen)


def _relaxations(
    problem: Problem, free: Problem, flow: Flow, uncertain: Ints | None
) -> Iterator[Relaxation]:
    """Yield changes that help a problem; `free` lacks locked pairs and reviews that cannot be."""
    dropped, unplaced, unmet = problem.needed - free.needed, flow.unplaced, flow.unmet
    base = replace(free, minimum=free.minimum - unmet)
    unlocked = {*map(tuple, problem.locked.tolist())} - {*map(tuple, free.locked.tolist())}
    pairs = np.array(sorted(unlocked), np.int64).reshape(-1, 2)
    unlock = (len(pairs), f"unlock {_count(len(pairs), 'pair')}")
    lower = (int(unmet.sum()), f"lower minimum loads by {unmet.sum()} in all")
    drop = (int(dropped.sum()), f"do without {_count(int(dropped.sum()), 'review')}")

    def relaxation(
        kind: str, amount: int, text: str, relaxed: Problem, *also: tuple[int, str]
    ) -> Relaxation:
        return Relaxation(
            kind, amount, relaxed, ", and ".join([text, *(words for size, words in also if size)])
        )

    if lacking := int((dropped + unplaced).sum()):
        short = _count(int(np.count_nonzero(dropped + unplaced)), "paper")
        text = f"do without {_count(lacking, 'review')} of {short}"
        if _is_possible(fewer := replace(base, needed=base.needed - unplaced)):
            yield relaxation("needed", lacking, text, fewer, unlock, lower)
        if (lifted := _lifted(replace(base, needed=problem.needed), uncertain)) is not None:
            amount = int((lifted.allowed & ~base.allowed).sum())
            text = f"lift {_count(amount, 'conflict')} that are not certain"
            yield relaxation("conflicts", amount, text, lifted, unlock, lower)
        if unplaced.any():
            raised = _smallest(lambda more: replace(base, maximum=base.maximum + more), base.papers)
            if raised:
                text = f"let every reviewer have {_count(raised[0], 'paper')} more"
                yield relaxation("maximum", *(raised[0], text, raised[1]), unlock, lower, drop)
            seniors = base.seniors_per_paper
            eased = _smallest(
                lambda fewer: replace(base, seniors_per_paper=seniors - fewer), seniors
            )
            if eased:
                text = f"ask for {_count(eased[0], 'senior reviewer')} fewer per paper"
                yield relaxation("seniors", *(eased[0], text, eased[1]), unlock, lower, drop)
    elif lower[0]:
        who = _count(int(np.count_nonzero(unmet)), "reviewer")
        text = f"lower the minimum loads of {who} by {lower[0]} in all"
        yield relaxation("minimum", lower[0], text, base, unlock)
    else:
        papers, people = (np.unique(column).size for column in pairs.T)
        text = f"{unlock[1]} of {_count(papers, 'paper')} and {_count(people, 'reviewer')}"
        yield relaxation("locked", unlock[0], text, base)


def _smallest(relax: Callable[[int], Problem], limit: int) -> tuple[int, Problem] | None:
    """Return the smallest amount up to `limit` that is enough, with the relaxed problem."""
    amount = 1 + bisect_left(range(1, limit + 1), True, key=lambda some: _is_possible(relax(some)))
    return (amount, relax(amount)) if amount <= limit else None


def _is_possible(problem: Problem) -> bool:
    return not FlowProblem.of(problem).overbooked and not _relaxed_flow(problem).missing


def _lifted(problem: Problem, uncertain: Ints | None) -> Problem | None:
    """Return the problem with the fewest uncertain conflicts lifted that make it possible."""
    doubted = np.zeros(problem.allowed.shape, np.bool_)
    if uncertain is not None and len(uncertain):
        doubted[tuple(np.asarray(uncertain, np.int64).reshape(-1, 2).T)] = True
    doubted &= ~problem.allowed
    demands = FlowProblem.of(replace(problem, allowed=problem.allowed | doubted))
    flow = solve(replace(demands, weight=-doubted.astype(np.int32)))
    if flow.missing or not doubted.any():
        return None
    allowed = problem.allowed.copy()
    allowed[tuple(flow.chosen.T)] = True
    return replace(problem, allowed=allowed)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _topic(papers: Iterable[int], topics: Topics) -> str | None:
    """Return the most common topic of these papers, the first by name of several."""
    if not topics:
        return None
    counts = Counter(topic for paper in papers for topic in topics[paper])
    return min(counts, key=lambda topic: (-counts[topic], topic), default=None)
