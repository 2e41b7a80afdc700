"""Explain in counts why a problem has no assignment, with the smallest changes that help.

A relaxed flow may have unassigned reviews and unmet minimum loads; their number is minimal. Its
prices show the bottleneck (Hall's theorem for flows). The papers with which an unassigned review
could be exchanged have too few places among all their eligible reviewers. The reviewers with whom
an unmet load could be exchanged have too few papers.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components

from specter_graph.core.errors import counted
from specter_graph.matching.assignment.min_cost_flow import Flow, FlowProblem, solve
from specter_graph.matching.assignment.problem import (
    AssignmentProblem,
    Bools,
    Ints,
    mask_of,
)

Topics = Sequence[Sequence[str]]
_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Shortage:
    """Papers and reviewers with more reviews needed than places.

    Attributes:
        kind: "papers" (papers lack reviewers), "seniors" (papers lack senior reviewers), "loads"
            (reviewers lack papers for their minimum loads), or "locked" (papers or reviewers have
            too many locked pairs). Other kinds than "locked" do not count locked pairs.
        papers: Numbers of the papers.
        reviewers: Numbers of the reviewers.
        needed: Number of reviews needed.
        places: Number of places for them.
        senior: Numbers of the papers for which only senior reviewers count.
        topic: The most common topic of the papers.
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
            counted(len(self.papers), "paper"),
            counted(len(self.reviewers), "reviewer"),
        )
        papers += "" if self.topic is None else f" (most common topic: {self.topic})"
        places = counted(self.places, "place")
        if self.kind == "loads":
            return (
                f"minimum loads: {reviewers} must have at least {counted(self.needed, 'review')},"
                f" but can only have {papers} with {places}"
            )
        if self.kind == "locked":
            owner = papers if len(self.papers) else reviewers
            return f"locked pairs: {owner} with {counted(self.needed, 'locked pair')} and {places}"
        senior = "senior " if self.kind == "seniors" else ""
        eligible = counted(len(self.reviewers), f"eligible {senior}reviewer")
        have, need = ("has", "it needs") if len(self.papers) == 1 else ("have", "they need")
        only = f" (for {len(self.senior)} of them only seniors count)" if len(self.senior) else ""
        return (
            f"{papers} {have} {eligible} with {places}; {need} {self.needed}{only * (not senior)}"
        )


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A change of the demands that makes an assignment possible, and the changed problem.

    `kind` says what `amount` counts: "maximum" (added to each maximum load), "needed" (dropped
    reviews), "minimum" (removed from minimum loads), "seniors" (fewer seniors of each paper),
    "conflicts" (allowed pairs), "locked" (unlocked pairs).
    """

    kind: str
    amount: int
    problem: AssignmentProblem
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Explanation:
    """The reasons why a problem has no assignment.

    Without shortages, only limits of groups or of reciprocal reviews can prevent an assignment.
    """

    shortages: tuple[Shortage, ...]
    relaxations: tuple[Relaxation, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, [*self.shortages, *self.relaxations]))


def explain(
    problem: AssignmentProblem, topics: Topics = (), uncertain: npt.ArrayLike = ()
) -> Explanation:
    """Return the shortages that prevent an assignment, and the changes that help.

    Args:
        problem: The problem; its limits of groups and of reciprocal reviews are disregarded,
            because a flow cannot explain them.
        topics: Topics of each paper.
        uncertain: (n, 2) pairs with an uncertain conflict, which could be allowed.

    Returns:
        The explanation; without shortages only the disregarded limits prevent an assignment.
    """
    shortages = _locked_shortages(problem)
    free = _remove_excess_locks(problem) if shortages else problem
    demands = FlowProblem.from_problem(free)
    unfillable = _unfillable(demands)
    if unfillable.any():
        shortages.append(_unfillable_shortage(demands, unfillable > 0, topics))
        free = replace(free, needed=free.needed - unfillable)
    flow = _relaxed_flow(free)
    shortages += (
        each
        for each in _paper_shortages(flow, demands, topics)
        if each.kind != "papers" or not np.array_equal(each.papers, np.flatnonzero(unfillable))
    )
    shortages += _load_shortages(flow, topics)
    if not shortages:
        return Explanation((), ())
    return Explanation(tuple(shortages), tuple(_relaxations(problem, free, flow, uncertain)))


def _relaxed_flow(problem: AssignmentProblem) -> Flow:
    """Return a flow with as few missing units as possible, without regard to affinities."""
    demands = FlowProblem.from_problem(problem)
    return solve(replace(demands, weight=np.zeros_like(demands.weight)))


def _unfillable(demands: FlowProblem) -> Ints:
    """Return (papers,) numbers of reviews without a reviewer even if other papers need none."""
    choice = (demands.eligible & (demands.maximum > 0)).sum(1)
    lacking: Ints = np.maximum(0, demands.needed - choice)
    return np.minimum(lacking, demands.junior_limit) if demands.junior.any() else lacking


def _unfillable_shortage(demands: FlowProblem, papers: Bools, topics: Topics) -> Shortage:
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


def _paper_shortages(flow: Flow, demands: FlowProblem, topics: Topics) -> Iterator[Shortage]:
    """Yield a shortage for each unconnected part of the papers short of reviewers.

    The demands include reviews that were dropped for the flow.
    """
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
    edges = csr_array(pairs)
    _, labels = connected_components(block_array([[None, edges], [edges.T, None]]), directed=False)
    own, theirs = np.split(labels, [len(papers)])
    for label in dict.fromkeys(own[pairs.any(1)].tolist()):
        yield np.flatnonzero(own == label), np.flatnonzero(theirs == label)


def _locked_shortages(problem: AssignmentProblem) -> list[Shortage]:
    """Return the papers and reviewers with too many locked pairs."""
    demands = FlowProblem.from_problem(problem)
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
            int((limit - over).sum()),
            int(limit.sum()),
            juniors if both[0] is juniors else _NOTHING,
        )
        for both, limit, over in zip(who, places, excess, strict=True)
        if limit.size
    ]


def _remove_excess_locks(problem: AssignmentProblem) -> AssignmentProblem:
    """Return the problem with as many of its locked pairs as its demands allow."""
    free = replace(problem, locked=_NOTHING, minimum=np.zeros_like(problem.minimum))
    locked = mask_of(problem.locked, problem.affinity.shape)
    weight = np.zeros(problem.affinity.shape, np.int32)
    flow = solve(replace(FlowProblem.from_problem(free), eligible=locked, weight=weight))
    return replace(problem, locked=flow.chosen)


def _relaxations(
    problem: AssignmentProblem, free: AssignmentProblem, flow: Flow, uncertain: npt.ArrayLike
) -> Iterator[Relaxation]:
    """Yield changes that help; `free` is the problem without impossible locks and reviews."""
    dropped, unplaced, unmet = problem.needed - free.needed, flow.unplaced, flow.unmet
    base = replace(free, minimum=free.minimum - unmet)
    unlocked = {*map(tuple, problem.locked.tolist())} - {*map(tuple, free.locked.tolist())}
    pairs = np.array(sorted(unlocked), np.int64).reshape(-1, 2)
    unlock = f"unlock {counted(len(pairs), 'pair')}" if len(pairs) else ""
    lower = f"lower minimum loads by {unmet.sum()} in all" if unmet.any() else ""
    drop = f"drop {counted(int(dropped.sum()), 'review')}" if dropped.any() else ""

    if lacking := int((dropped + unplaced).sum()):
        short = counted(int(np.count_nonzero(dropped + unplaced)), "paper")
        text = f"drop {counted(lacking, 'review')} of {short}"
        if _is_possible(fewer := replace(base, needed=base.needed - unplaced)):
            yield Relaxation("needed", lacking, fewer, _join(text, unlock, lower))
        if (
            lifted := _allow_uncertain(replace(base, needed=problem.needed), uncertain)
        ) is not None:
            amount = int((lifted.allowed & ~base.allowed).sum())
            text = f"allow {counted(amount, 'pair')} whose conflict is only likely"
            yield Relaxation("conflicts", amount, lifted, _join(text, unlock, lower))
        if unplaced.any():
            raised = _find_smallest(
                lambda more: replace(base, maximum=base.maximum + more), base.papers
            )
            if raised:
                amount, relaxed = raised
                text = f"raise the maximum load of every reviewer by {counted(amount, 'paper')}"
                yield Relaxation("maximum", amount, relaxed, _join(text, unlock, lower, drop))
            seniors = base.seniors_per_paper
            eased = _find_smallest(
                lambda fewer: replace(base, seniors_per_paper=seniors - fewer), seniors
            )
            if eased:
                amount, relaxed = eased
                text = f"require {counted(amount, 'senior reviewer')} fewer per paper"
                yield Relaxation("seniors", amount, relaxed, _join(text, unlock, lower, drop))
    elif lower:
        who = counted(int(np.count_nonzero(unmet)), "reviewer")
        text = f"lower the minimum loads of {who} by {unmet.sum()} in all"
        yield Relaxation("minimum", int(unmet.sum()), base, _join(text, unlock))
    else:
        papers, people = (np.unique(column).size for column in pairs.T)
        text = f"{unlock} of {counted(papers, 'paper')} and {counted(people, 'reviewer')}"
        yield Relaxation("locked", len(pairs), base, text)


def _join(*texts: str) -> str:
    return ", and ".join(filter(None, texts))


def _find_smallest(
    relax: Callable[[int], AssignmentProblem], limit: int
) -> tuple[int, AssignmentProblem] | None:
    """Return the smallest amount up to `limit` that is enough, with the relaxed problem."""
    amount = 1 + bisect_left(
        range(1, limit + 1), True, key=lambda amount: _is_possible(relax(amount))
    )
    return (amount, relax(amount)) if amount <= limit else None


def _is_possible(problem: AssignmentProblem) -> bool:
    return not FlowProblem.from_problem(problem).overbooked and not _relaxed_flow(problem).missing


def _allow_uncertain(
    problem: AssignmentProblem, uncertain: npt.ArrayLike
) -> AssignmentProblem | None:
    """Return the problem with as few uncertain pairs allowed as make an assignment possible."""
    uncertain_pairs = mask_of(uncertain, problem.allowed.shape) & ~problem.allowed
    demands = FlowProblem.from_problem(replace(problem, allowed=problem.allowed | uncertain_pairs))
    flow = solve(replace(demands, weight=-uncertain_pairs.astype(np.int32)))
    if flow.missing or not uncertain_pairs.any():
        return None
    return replace(problem, allowed=problem.allowed | mask_of(flow.chosen, problem.allowed.shape))


def _topic(papers: Iterable[int], topics: Topics) -> str | None:
    """Return the most common topic of these papers, the first by name of several."""
    if not topics:
        return None
    counts = Counter(topic for paper in papers for topic in topics[paper])
    return min(counts, key=lambda topic: (-counts[topic], topic), default=None)
