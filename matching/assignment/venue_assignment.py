"""From the scores of a venue to who reviews what: ids in place of numbers, conflicts barred."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, TypeVar

import numpy as np

from specter_graph.core.errors import InputError, summarize_names
from specter_graph.graph import reviewing as venues
from specter_graph.graph.database import Database
from specter_graph.loaders.review_records import Assigned, Bid, Conflict, Submission
from specter_graph.matching.assignment import (
    Assignment,
    InfeasibleError,
    Problem,
    ProblemError,
    assign,
    assign_fairly,
    assign_randomly,
    explain,
    reassign,
    with_bids,
)
from specter_graph.matching.assignment.problem import Floats, Ints

Pair = tuple[str, str]
"""A reviewer and a submission."""

_MOST = 1.0001  # of a cosine of 1 rounding may make more
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class AssignSettings:
    """What an assignment must meet.

    Each submission gets `per_submission` reviewers, `seniors` of them senior, and each reviewer
    from `minimum` to `maximum` submissions. A reviewer's own bound replaces the general one, and
    moves the other general bound where the two contradict each other. Affinities
    below `floor` are not assigned. `bids` is their strength, 1 for none (`assignment.with_bids`).
    Likely conflicts bar a pair as certain ones do unless `likely` is false. `fair` serves the
    worst-off submission first; `cap` is the most that any pair's probability may be, and `seed`
    draws then.
    """

    per_submission: int = 3
    maximum: int = 6
    minimum: int = 0
    seniors: int = 0
    one_per_affiliation: bool = False
    floor: float | None = None
    bids: float = 4.0
    likely: bool = True
    fair: bool = False
    cap: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.minimum > self.maximum:
            raise InputError(
                f"every reviewer is to have at least {self.minimum} submissions and at most"
                f" {self.maximum}",
                "lower --min-load or raise --max-load",
            )
        if self.fair and self.cap is not None:
            raise InputError("an assignment is fair or random, not both", "choose one of the two")
        if self.one_per_affiliation and (self.fair or self.cap is not None):
            raise InputError(
                "fair and random assignments know no affiliations",
                "leave out one reviewer per affiliation, or the other",
            )


@dataclass(frozen=True, eq=False)
class VenueProblem:
    """A problem with the names of its numbers, and what it was made of."""

    problem: Problem
    affinity: Floats
    submissions: Sequence[Submission]
    reviewers: Sequence[venues.VenueReviewer]
    conflicts: Sequence[Conflict]
    settings: AssignSettings

    def assign(self) -> list[Assigned]:
        """Solve it; raises InputError that says in plain counts why there is no assignment."""
        return self._answered(self._solve)

    def change(self, present: Iterable[Assigned]) -> list[Assigned]:
        """Solve it with as few changes of what is assigned as can be; raises like `assign`."""
        rows, columns = self.rows, self.columns
        pairs = [
            (rows[each.submission], columns[each.reviewer])
            for each in present
            if each.submission in rows and each.reviewer in columns
        ]
        return self._answered(
            lambda problem: reassign(problem, np.array(pairs, np.int64).reshape(-1, 2))
        )

    def _solve(self, problem: Problem) -> Assignment:
        if self.settings.cap is not None:
            return assign_randomly(problem, self.settings.cap, self.settings.seed)
        return assign_fairly(problem) if self.settings.fair else assign(problem)

    def _answered(self, solve: Callable[[Problem], Assignment]) -> list[Assigned]:
        try:
            found = solve(self.problem)
        except InfeasibleError as error:
            self._explain(error)
        except ProblemError as error:
            raise _named(error, self.submissions, self.reviewers) from error
        locked = {(row, column) for row, column in self.problem.locked.tolist()}
        return [
            Assigned(
                self.reviewers[column].id,
                self.submissions[row].id,
                round(float(self.affinity[row, column]), 6),
                (row, column) in locked,
            )
            for row, column in found.pairs.tolist()
        ]

    def _explain(self, error: InfeasibleError) -> NoReturn:
        likely = [
            (self.rows[each.submission], self.columns[each.reviewer])
            for each in self.conflicts
            if not each.certain
        ]
        topics = [submission.topics for submission in self.submissions]
        found = explain(self.problem, topics, np.array(likely, np.int64).reshape(-1, 2))
        if not found.shortages:
            raise InputError(
                error.message, "let submissions have several reviewers of one affiliation"
            ) from error
        reasons = [
            f"{shortage} ({summarize_names([self.submissions[row].id for row in shortage.papers])})"
            if len(shortage.papers)
            else str(shortage)
            for shortage in found.shortages
        ]
        raise InputError(
            "there is no such assignment: " + "; ".join(reasons),
            "; or ".join(map(str, found.relaxations)) or None,
        ) from error

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each submission."""
        return {each.id: number for number, each in enumerate(self.submissions)}

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each reviewer."""
        return {each.id: number for number, each in enumerate(self.reviewers)}


def venue_problem(
    db: Database,
    venue: str,
    submissions: Sequence[Submission],
    reviewers: Sequence[venues.VenueReviewer],
    affinity: Floats,
    conflicts: Iterable[Conflict],
    settings: AssignSettings,
    *,
    from_file: bool = False,
    locked: Collection[Pair] = (),
    forbidden: Collection[Pair] = (),
    without: Collection[str] = (),
) -> VenueProblem:
    """The problem of a venue, `affinity` in the order of the submissions and reviewers.

    `locked` pairs must be assigned, and `forbidden` ones must not; reviewers in `without` get
    nothing. A lock is a person's word: it stands against a conflict that is only likely. Computed
    affinities above 1 (nearly equal texts) count as 1 beside bids. Raises InputError for a lock
    against a certain conflict, for what the venue does not have, and, `from_file`, for affinities
    above 1 of allowed pairs where there are bids: their scale is not known.
    """
    rows = {each.id: number for number, each in enumerate(submissions)}
    columns = {each.id: number for number, each in enumerate(reviewers)}
    counting = [each for each in conflicts if each.certain or settings.likely]
    fixed = _numbers(locked, rows, columns, "locked")
    barred = _numbers(forbidden, rows, columns, "forbidden")
    allowed = np.ones(affinity.shape, np.bool_)
    if settings.floor is not None:  # of the affinities: no bid lifts a pair over it
        allowed &= affinity >= settings.floor
    for sure in (False, True):
        for each in counting:
            if each.certain == sure:
                allowed[rows[each.submission], columns[each.reviewer]] = False
        if not sure:
            allowed[tuple(fixed.T)] = True
    allowed[tuple(barred.T)] = False
    _refuse([who for who in without if who not in columns], "reviewers who are to get nothing")
    weights = affinity
    if settings.bids > 1 and (told := venues.bids(db, venue)):
        if from_file:
            _refuse_above_1(affinity[allowed])
        weights = _with_bids(affinity, told, rows, columns, settings.bids)
    loads = [_loads(each, settings, without) for each in reviewers]
    try:
        problem = Problem(
            affinity=weights,
            needed=np.full(len(submissions), settings.per_submission, np.int64),
            minimum=np.array([least for least, _ in loads], np.int64),
            maximum=np.array([most for _, most in loads], np.int64),
            allowed=allowed,
            locked=fixed,
            senior=np.array([r.reviewer.senior for r in reviewers], np.bool_),
            seniors_per_paper=settings.seniors,
            affiliations=_affiliations(reviewers) if settings.one_per_affiliation else (),
        )
    except ProblemError as error:
        raise _named(error, submissions, reviewers) from error
    return VenueProblem(problem, affinity, submissions, reviewers, counting, settings)


def _named(
    error: ProblemError,
    submissions: Sequence[Submission],
    reviewers: Sequence[venues.VenueReviewer],
) -> InputError:
    """The error with names for its numbers."""
    papers = [submissions[number].id for number in error.papers]
    people = [reviewers[number].id for number in error.reviewers]
    if len(papers) == len(people):
        names = [f"{paper} {who}" for paper, who in zip(papers, people, strict=True)]
    else:
        names = papers + people
    return InputError(
        f"{error.message}: {summarize_names(names)}" if names else error.message, error.hint
    )


def _loads(
    reviewer: venues.VenueReviewer, settings: AssignSettings, without: Collection[str]
) -> tuple[int, int]:
    """Return the least and the greatest number of submissions of a reviewer."""
    if reviewer.id in without:
        return 0, 0
    least, most = reviewer.reviewer.minimum, reviewer.reviewer.maximum
    if least is None:
        least = settings.minimum if most is None else min(settings.minimum, most)
    if most is None:
        most = max(settings.maximum, least)
    return least, most


def _refuse_above_1(allowed: Floats) -> None:
    if allowed.size and allowed.max() > _MOST:
        raise InputError(
            f"bids weigh affinities of at most 1, and there are some of {allowed.max():g}",
            "scale the scores to 0..1, or leave bids out with --bids 1",
        )


def _with_bids(
    affinity: Floats,
    bids: Iterable[Bid],
    rows: dict[str, int],
    columns: dict[str, int],
    strength: float,
) -> Floats:
    known = [bid for bid in bids if bid.submission in rows and bid.reviewer in columns]
    pairs = np.array([(rows[bid.submission], columns[bid.reviewer]) for bid in known], np.int64)
    values = np.array([bid.value for bid in known], np.float64)
    return with_bids(np.minimum(affinity, 1), pairs, values, strength)


def _numbers(
    pairs: Collection[Pair], rows: dict[str, int], columns: dict[str, int], what: str
) -> Ints:
    unknown = [f"{who}, {paper}" for who, paper in pairs if who not in columns or paper not in rows]
    _refuse(unknown, f"{what} pairs")
    return np.array([(rows[paper], columns[who]) for who, paper in pairs], np.int64).reshape(-1, 2)


def _refuse(unknown: Sequence[str], what: str) -> None:
    if unknown:
        raise InputError(
            f"{what} that the venue does not have: {summarize_names(unknown)}",
            "name reviewers and submissions as the venue's lists do",
        )


def _affiliations(reviewers: Sequence[venues.VenueReviewer]) -> tuple[tuple[int, ...], ...]:
    names = sorted({name for each in reviewers for name in each.affiliations})
    number = {name: place for place, name in enumerate(names)}
    return tuple(tuple(number[name] for name in each.affiliations) for each in reviewers)
