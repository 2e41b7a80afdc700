"""Why there is no assignment, in plain counts, and the smallest relaxation that helps.

By Hall's theorem for flows, papers that cannot all be served have among them a set whose eligible
reviewers have, together, too few places; it is one side of a smallest cut. The same holds the other
way around for minimum loads; and where each alone can be met, both can (Mendelsohn and Dulmage).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from specter_graph.matching.assignment.cuts import Cut, cuts, merged
from specter_graph.matching.assignment.flow import Pairs, demand_of, optimum
from specter_graph.matching.assignment.network import Demand, Flow
from specter_graph.matching.assignment.problem import Bools, Ints, Problem
from specter_graph.matching.assignment.relaxations import Relaxation, count, relaxations, unlocked

Topics = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Shortage:
    """Papers and reviewers between whom `needed` reviews have `places` places only.

    kind: "papers" that lack reviewers, "seniors" that lack only these, "loads" of reviewers who
    must have more papers than there are for them, "locked" pairs beyond what their papers or their
    reviewers may have. Apart from those, locked pairs are neither needed nor in a place. senior:
    the papers, among `papers`, for which only senior reviewers count; topic: the most common.
    """

    kind: str
    papers: Ints
    reviewers: Ints
    needed: int
    places: int
    senior: Ints
    topic: str | None = None

    def __str__(self) -> str:
        papers, who = count(len(self.papers), "paper"), count(len(self.reviewers), "reviewer")
        papers += "" if self.topic is None else f" (most often of the topic {self.topic})"
        places = count(self.places, "place")
        if self.kind == "loads":
            return (
                f"minimum loads: {who} with {self.needed} reviews to do at least may have "
                f"{papers} with {places} for them"
            )
        if self.kind == "locked":
            owner = papers if len(self.papers) else who
            return f"locked pairs: {owner} with {self.needed} of them and {places} for them"
        senior = "senior " if self.kind == "seniors" else ""
        eligible = count(len(self.reviewers), f"eligible {senior}reviewer")
        have, need = ("has", "it needs") if len(self.papers) == 1 else ("have", "they need")
        only = f" (of {len(self.senior)} of them only the seniors)" if len(self.senior) else ""
        return (
            f"{papers} {have} {eligible} with {places}; {need} {self.needed}{only * (not senior)}"
        )


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a problem has no assignment; with no shortages it has one, affiliations left aside."""

    shortages: tuple[Shortage, ...]
    relaxations: tuple[Relaxation, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.shortages), *(f"{one}" for one in self.relaxations)])


def explain(problem: Problem, topics: Topics = (), uncertain: Ints | None = None) -> Explanation:
    """What stands in the way of an assignment, and what would help.

    topics: the topics of each paper; uncertain: (n, 2) pairs whose conflict is not certain, that
    might be lifted. Affiliations are left aside: they need more than a flow to explain.
    """
    free = unlocked(problem)
    found = [] if free is problem else [*_locked(problem)]
    alone = _alone(free)
    if alone.any():
        found += _hopeless(free, alone > 0, topics)
        free = replace(free, needed=free.needed - alone)
    demand = demand_of(free)
    pairs = Pairs(free.eligible, free.weight)
    short = optimum(pairs, replace(demand, minimum=np.zeros_like(demand.minimum))).flow
    found += [
        _of_papers(cut, pairs.eligible, demand, topics)
        for cut in _apart(short, pairs.eligible, demand, topics, loads=False)
        if (cut.direct & (alone == 0)).any()
    ]
    idle = optimum(pairs, replace(demand, maximum=demand.minimum)).flow
    found += [
        _of_loads(cut, pairs.eligible, demand, topics)
        for cut in _apart(idle, pairs.eligible, demand, topics, loads=True)
    ]
    if not found:
        return Explanation((), ())
    help_ = relaxations(problem, free, short.unplaced, idle.unmet, uncertain)
    return Explanation(tuple(found), tuple(help_))


def _alone(problem: Problem) -> Ints:
    """(papers,): how many reviews it cannot have, whatever the others have."""
    demand = demand_of(problem)
    choice = (problem.eligible & (demand.maximum > 0)).sum(1)
    lacking: Ints = np.maximum(0, demand.needed - choice)
    return np.minimum(lacking, demand.aside) if demand.side.any() else lacking


def _hopeless(problem: Problem, alone: Bools, topics: Topics) -> Iterator[Shortage]:
    """Papers that have fewer reviewers than they need, however free; a topic at a time."""
    demand = demand_of(problem)
    named = np.array([_topic([paper], topics) or "" for paper in range(problem.papers)])
    for topic in np.unique(named[alone]):
        papers = alone & (named == topic)
        open_ = problem.eligible[papers] & (demand.maximum > 0)
        degree = open_.sum(0)
        yield Shortage(
            "papers",
            np.flatnonzero(papers),
            np.flatnonzero(degree),
            int(demand.needed[papers].sum()),
            int(np.minimum(degree, demand.maximum).sum()),
            np.empty(0, np.int64),
            topic or None,
        )


def _apart(
    flow: Flow, eligible: Bools, demand: Demand, topics: Topics, *, loads: bool
) -> list[Cut]:
    """Cuts that no pair links; those of one topic are told as one."""

    def alike(one: Cut, other: Cut) -> bool:
        topic = _topic(np.flatnonzero(one.direct | one.aside), topics)
        return topic is not None and topic == _topic(
            np.flatnonzero(other.direct | other.aside), topics
        )

    return merged(cuts(flow, eligible, demand, loads=loads), alike)


def _of_papers(cut: Cut, eligible: Bools, demand: Demand, topics: Topics) -> Shortage:
    """Papers of which all reviewers count, and such as lack seniors, of whom those alone do."""
    senior = cut.direct & ~cut.aside & demand.side.any()
    count_ = eligible & cut.direct[:, None]
    count_ &= ~(np.broadcast_to(demand.side, eligible.shape) & senior[:, None])
    degree = count_.sum(0)
    needed = demand.needed[cut.direct].sum() - demand.aside[senior].sum()
    return Shortage(
        "seniors" if senior.sum() == cut.direct.sum() else "papers",
        np.flatnonzero(cut.direct),
        np.flatnonzero(degree),
        int(needed),
        int(np.minimum(degree, demand.maximum).sum()),
        np.flatnonzero(senior),
        _topic(np.flatnonzero(cut.direct), topics),
    )


def _of_loads(cut: Cut, eligible: Bools, demand: Demand, topics: Topics) -> Shortage:
    """Reviewers, and the papers that they may have: each gives its places but once."""
    theirs = eligible & cut.reviewer
    side = np.broadcast_to(demand.side, eligible.shape)
    aside = np.minimum((theirs & side).sum(1), demand.aside)
    places = np.minimum(demand.needed, (theirs & ~side).sum(1) + aside)
    papers = theirs.any(1)
    return Shortage(
        "loads",
        np.flatnonzero(papers),
        np.flatnonzero(cut.reviewer),
        int(demand.minimum[cut.reviewer].sum()),
        int(places.sum()),
        np.empty(0, np.int64),
        _topic(np.flatnonzero(papers), topics),
    )


def _locked(problem: Problem) -> list[Shortage]:
    """Where locked pairs are more than a paper needs or a reviewer may have."""
    demand, none = demand_of(problem), np.empty(0, np.int64)
    papers = np.flatnonzero(demand.needed < 0)
    juniors = np.flatnonzero((demand.aside < 0) & (demand.needed >= 0))
    reviewers = np.flatnonzero(demand.maximum < 0)
    held = np.bincount(problem.locked[:, 0], minlength=problem.papers)
    load = np.bincount(problem.locked[:, 1], minlength=problem.reviewers)
    places = problem.needed[juniors] - np.minimum(
        problem.needed[juniors], problem.seniors_per_paper
    )
    rows = [
        (papers, none, held[papers].sum(), problem.needed[papers].sum(), none),
        (juniors, none, places.sum() - demand.aside[juniors].sum(), places.sum(), juniors),
        (none, reviewers, load[reviewers].sum(), problem.maximum[reviewers].sum(), none),
    ]
    return [
        Shortage("locked", paper, reviewer, int(needed), int(most), senior)
        for paper, reviewer, needed, most, senior in rows
        if len(paper) + len(reviewer)
    ]


def _topic(papers: Iterable[int], topics: Topics) -> str | None:
    """The most common topic of these papers, the first by name of several."""
    if not topics:
        return None
    counts = Counter(topic for paper in papers for topic in topics[paper])
    return min(counts, key=lambda topic: (-counts[topic], topic), default=None)
