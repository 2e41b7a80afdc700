"""Assignment of the reviewers of a venue: ids instead of numbers, without conflicts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NoReturn, TypeAlias

import numpy as np

from specter_graph.core.errors import InputError, summarize_names
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing import venue_data
from specter_graph.loaders.review_records import (
    REVIEWER,
    Assigned,
    Bid,
    Conflict,
    Submission,
)
from specter_graph.matching.assignment.fairness import assign_fairly
from specter_graph.matching.assignment.infeasibility import Explanation, explain
from specter_graph.matching.assignment.optimal import assign, reassign
from specter_graph.matching.assignment.problem import (
    Assignment,
    AssignmentProblem,
    Bools,
    Floats,
    GroupLimit,
    InfeasibleError,
    Ints,
    ProblemError,
    with_bids,
)
from specter_graph.matching.assignment.randomized import assign_randomly

Pair = tuple[str, str]
"""A reviewer and a submission."""

_MAX_AFFINITY = 1.0001  # a rounded cosine of 1 can be above 1
AssignmentMethod: TypeAlias = Literal["total", "fair", "random"]


@dataclass(frozen=True, slots=True)
class AssignSettings:
    """Demands on an assignment.

    Attributes:
        per_submission: Reviewers of each submission without a demand.
        max_load: Maximum submissions of a reviewer without a quota. A quota that contradicts the
            other general bound moves that bound.
        min_load: Minimum submissions of a reviewer without a quota.
        min_seniors: Minimum senior reviewers of each submission.
        one_per_affiliation: Allow at most one reviewer of an affiliation for a submission.
        max_per_region: Maximum reviewers of a region for a submission, None for no maximum.
        no_reciprocal: Prevent two reviewers from reviewing each other's submissions.
        role: Role of the people to assign.
        after: Name of an earlier assignment, such as that of the area chairs. Its people count for
            `one_per_affiliation` and `max_per_region`.
        min_affinity: Minimum affinity of a pair, None for no minimum.
        bid_weight: Strength of bids, 1 to ignore them (`assignment.with_bids`).
        exclude_likely: Exclude pairs whose conflict is only likely.
        method: `total` maximizes the total affinity, `fair` serves the worst-off submission first,
            `random` draws an assignment.
        max_probability: Maximum probability of a pair, for `random`.
        perturbation: Strength of the perturbation, 0 to 1, for `random`; it spreads the
            probabilities over more pairs (`assignment.lottery`).
        seed: Seed, for `random`.
    """

    per_submission: int = 3
    max_load: int = 6
    min_load: int = 0
    min_seniors: int = 0
    one_per_affiliation: bool = False
    max_per_region: int | None = None
    no_reciprocal: bool = False
    role: str = REVIEWER
    after: str | None = None
    min_affinity: float | None = None
    bid_weight: float = 4.0
    exclude_likely: bool = True
    method: AssignmentMethod = "total"
    max_probability: float = 0.5
    perturbation: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.min_load > self.max_load:
            raise InputError(
                f"the minimum load {self.min_load} is above the maximum load {self.max_load}",
                "lower --min-load or raise --max-load",
            )
        if self.side_options and self.method != "total":
            raise InputError(
                f"the method {self.method} cannot respect {' and '.join(self.side_options)}",
                "leave out these options, or use --method total",
            )
        if self.perturbation and self.method != "random":
            raise InputError(
                f"the method {self.method} has no perturbation",
                "leave out --perturbation, or use --method random",
            )

    @property
    def side_options(self) -> list[str]:
        """The options in use whose constraints need an integer program."""
        used = {
            "--one-per-affiliation": self.one_per_affiliation,
            "--max-per-region": self.max_per_region is not None,
            "--no-reciprocal": self.no_reciprocal,
        }
        return [option for option, is_used in used.items() if is_used]


@dataclass(frozen=True, slots=True)
class TrackDemand:
    """The reviews that a track needs, and the places that its eligible reviewers have.

    Attributes:
        track: The track, None for the venue.
        submissions: Number of submissions.
        reviewers: Number of reviewers who can have a submission of the track.
        needed: Number of reviews needed.
        places: Sum of the maximum loads of these reviewers.
    """

    track: str | None
    submissions: int
    reviewers: int
    needed: int
    places: int


@dataclass(frozen=True, eq=False)
class VenueProblem:
    """A problem with the ids of its papers and reviewers."""

    problem: AssignmentProblem
    affinity: Floats
    submissions: Sequence[Submission]
    reviewers: Sequence[venue_data.VenueReviewer]
    conflicts: Sequence[Conflict]
    settings: AssignSettings

    def assign(self) -> list[Assigned]:
        """Return the assignment; raise InputError with the reasons if no assignment exists."""
        return self._named_pairs(self._solve)

    def reassign(self, present: Iterable[Assigned]) -> list[Assigned]:
        """Return the assignment with the fewest changes of `present`; raises like `assign`."""
        rows, columns = self.rows, self.columns
        pairs = _pairs(
            (rows[pair.submission], columns[pair.reviewer])
            for pair in present
            if pair.submission in rows and pair.reviewer in columns
        )
        return self._named_pairs(lambda problem: reassign(problem, pairs))

    def explain(self) -> Explanation:
        """Return the shortages that prevent an assignment, and the changes that help."""
        likely = _pairs(
            (self.rows[conflict.submission], self.columns[conflict.reviewer])
            for conflict in self.conflicts
            if not conflict.certain
        )
        return explain(self.problem, [submission.topics for submission in self.submissions], likely)

    def _solve(self, problem: AssignmentProblem) -> Assignment:
        settings = self.settings
        if settings.method == "random":
            return assign_randomly(
                problem, settings.max_probability, settings.seed, settings.perturbation
            )
        return assign_fairly(problem) if settings.method == "fair" else assign(problem)

    def _named_pairs(self, solve: Callable[[AssignmentProblem], Assignment]) -> list[Assigned]:
        try:
            solution = solve(self.problem)
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
            for row, column in solution.pairs.tolist()
        ]

    def _explain(self, error: InfeasibleError) -> NoReturn:
        explanation = self.explain()
        if not explanation.shortages:
            options = " or ".join(self.settings.side_options)
            raise InputError(error.message, f"leave out {options}") from error
        reasons = [
            f"{shortage} ({summarize_names([self.submissions[row].id for row in shortage.papers])})"
            if len(shortage.papers)
            else str(shortage)
            for shortage in explanation.shortages
        ]
        raise InputError(
            "no assignment meets all demands: " + "; ".join(reasons),
            "; or ".join(map(str, explanation.relaxations)) or None,
        ) from error

    def track_demands(self) -> list[TrackDemand]:
        """Return what each track needs and has, then what the venue needs and has."""
        problem = self.problem
        tracks: dict[str | None, list[int]] = defaultdict(list)
        for row, submission in enumerate(self.submissions):
            if submission.track is not None:
                tracks[submission.track].append(row)
        rows = [*sorted(tracks.items()), (None, [*range(len(self.submissions))])]
        demands = []
        for track, own in rows:
            eligible = problem.allowed[own].any(0) & (problem.maximum > 0)
            places = int(problem.maximum[eligible].sum())
            demands.append(
                TrackDemand(
                    track, len(own), int(eligible.sum()), int(problem.needed[own].sum()), places
                )
            )
        return demands

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each submission."""
        return {submission.id: number for number, submission in enumerate(self.submissions)}

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each reviewer."""
        return {reviewer.id: number for number, reviewer in enumerate(self.reviewers)}


def venue_problem(
    db: Database,
    venue: str,
    submissions: Sequence[Submission],
    reviewers: Sequence[venue_data.VenueReviewer],
    affinity: Floats,
    conflicts: Iterable[Conflict],
    settings: AssignSettings,
    *,
    from_file: bool = False,
    locked: Collection[Pair] = (),
    forbidden: Collection[Pair] = (),
    removed_reviewers: Collection[str] = (),
    others: Collection[tuple[venue_data.VenueReviewer, str]] = (),
) -> VenueProblem:
    """Build the problem of a venue.

    Args:
        db: The database.
        venue: Name of the venue.
        submissions: The submissions, the rows of `affinity`.
        reviewers: The reviewers, the columns of `affinity`.
        affinity: (submissions, reviewers) float32. With bids, computed affinities above 1 (nearly
            equal texts) count as 1.
        conflicts: Conflicts to exclude.
        settings: Demands on the assignment.
        from_file: True if the affinities are from a file, so that their scale is unknown.
        locked: Pairs that must be assigned, also against a conflict that is only likely.
        forbidden: Pairs that must not be assigned.
        removed_reviewers: Reviewers who get no submission.
        others: People of another assignment and their submissions, who count in groups.

    Raises:
        InputError: A locked pair has a certain conflict, an id is unknown, or, with bids and
            `from_file`, the affinity of an allowed pair is above 1.
    """
    rows = {submission.id: number for number, submission in enumerate(submissions)}
    columns = {reviewer.id: number for number, reviewer in enumerate(reviewers)}
    known = [conflict for conflict in conflicts if conflict.reviewer in columns]
    excluding = [conflict for conflict in known if conflict.certain or settings.exclude_likely]
    locked_pairs = _numbers(locked, rows, columns, "locked pairs")
    forbidden_pairs = _numbers(forbidden, rows, columns, "forbidden pairs")
    allowed = _in_tracks(submissions, reviewers)
    if settings.min_affinity is not None:  # compared without bids
        allowed &= affinity >= settings.min_affinity
    for certain in (False, True):
        for conflict in excluding:
            if conflict.certain == certain:
                allowed[rows[conflict.submission], columns[conflict.reviewer]] = False
        if not certain:
            allowed[tuple(locked_pairs.T)] = True
    allowed[tuple(forbidden_pairs.T)] = False
    _require_known(
        [reviewer for reviewer in removed_reviewers if reviewer not in columns], "removed reviewers"
    )
    weights = affinity
    if settings.bid_weight > 1 and (bids := venue_data.read_bids(db, venue)):
        if from_file:
            _refuse_above_1(affinity[allowed])
        weights = _with_bids(affinity, bids, rows, columns, settings.bid_weight)
    loads = [load_bounds(reviewer, settings, removed_reviewers) for reviewer in reviewers]
    try:
        problem = AssignmentProblem(
            affinity=weights,
            needed=np.array(
                [
                    settings.per_submission if submission.demand is None else submission.demand
                    for submission in submissions
                ],
                np.int64,
            ),
            minimum=np.array([minimum for minimum, _ in loads], np.int64),
            maximum=np.array([maximum for _, maximum in loads], np.int64),
            allowed=allowed,
            locked=locked_pairs,
            senior=np.array([member.reviewer.senior for member in reviewers], np.bool_),
            seniors_per_paper=settings.min_seniors,
            groups=tuple(_group_limits(reviewers, settings, others, rows)),
            authors=_pairs(
                (rows[conflict.submission], columns[conflict.reviewer])
                for conflict in known
                if conflict.kind == "author" and settings.no_reciprocal
            ),
        )
    except ProblemError as error:
        raise _named(error, submissions, reviewers) from error
    return VenueProblem(problem, affinity, submissions, reviewers, excluding, settings)


def _named(
    error: ProblemError,
    submissions: Sequence[Submission],
    reviewers: Sequence[venue_data.VenueReviewer],
) -> InputError:
    """Return the error with ids instead of numbers."""
    papers = [submissions[number].id for number in error.papers]
    people = [reviewers[number].id for number in error.reviewers]
    if len(papers) == len(people):
        names = [f"{paper} {person}" for paper, person in zip(papers, people, strict=True)]
    else:
        names = papers + people
    return InputError(
        f"{error.message}: {summarize_names(names)}" if names else error.message, error.hint
    )


def load_bounds(
    reviewer: venue_data.VenueReviewer,
    settings: AssignSettings,
    removed_reviewers: Collection[str] = (),
) -> tuple[int, int]:
    """Return the minimum and the maximum number of submissions of a reviewer."""
    if reviewer.id in removed_reviewers:
        return 0, 0
    minimum, maximum = reviewer.reviewer.minimum, reviewer.reviewer.maximum
    if minimum is None:
        minimum = settings.min_load if maximum is None else min(settings.min_load, maximum)
    if maximum is None:
        maximum = max(settings.max_load, minimum)
    return minimum, maximum


def _refuse_above_1(allowed: Floats) -> None:
    if allowed.size and allowed.max() > _MAX_AFFINITY:
        raise InputError(
            f"an affinity is {allowed.max():g}; with bids, affinities must be at most 1",
            "scale the scores to 0..1, or ignore bids: --bid-weight 1",
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
    pairs: Collection[Pair], rows: dict[str, int], columns: dict[str, int], kind: str
) -> Ints:
    """Return the rows and columns of pairs, (n, 2); raises InputError for an unknown id."""
    unknown = [
        f"{reviewer}, {paper}"
        for reviewer, paper in pairs
        if reviewer not in columns or paper not in rows
    ]
    _require_known(unknown, kind)
    return _pairs((rows[paper], columns[reviewer]) for reviewer, paper in pairs)


def _pairs(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _require_known(unknown: Sequence[str], kind: str) -> None:
    if unknown:
        raise InputError(
            f"the venue does not have these {kind}: {summarize_names(unknown)}",
            "use the ids of the venue's lists",
        )


def _in_tracks(
    submissions: Sequence[Submission], reviewers: Sequence[venue_data.VenueReviewer]
) -> Bools:
    """Return (submissions, reviewers): pairs of which one has no track, or that share a track."""
    allowed = np.ones((len(submissions), len(reviewers)), np.bool_)
    tracks = [{*map(_normalized, member.reviewer.tracks)} for member in reviewers]
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, submission in enumerate(submissions):
        if submission.track is not None:
            rows_of[_normalized(submission.track)].append(row)
    for track, rows in rows_of.items():
        allowed[rows] = [not own or track in own for own in tracks]
    return allowed


def _group_limits(
    reviewers: Sequence[venue_data.VenueReviewer],
    settings: AssignSettings,
    others: Collection[tuple[venue_data.VenueReviewer, str]],
    rows: Mapping[str, int],
) -> Iterator[GroupLimit]:
    people = [*reviewers, *(person for person, _ in others)]
    other_rows = [rows[submission] for _, submission in others]
    if settings.one_per_affiliation:
        yield _group_limit([person.affiliations for person in people], 1, other_rows)
    if settings.max_per_region is not None:
        regions = [person.reviewer.region for person in people]
        names = [() if region is None else (_normalized(region),) for region in regions]
        yield _group_limit(names, settings.max_per_region, other_rows)


def _group_limit(names: Sequence[Sequence[str]], maximum: int, rows: Sequence[int]) -> GroupLimit:
    """Limit groups, given by names; the last people are the others, at the papers `rows`."""
    number = {name: place for place, name in enumerate(sorted({n for own in names for n in own}))}
    members = [tuple(number[name] for name in own) for own in names]
    inside = len(members) - len(rows)
    taken = _pairs(
        (row, group) for row, own in zip(rows, members[inside:], strict=True) for group in own
    )
    return GroupLimit(tuple(members[:inside]), maximum, taken)


def _normalized(name: str) -> str:
    return " ".join(name.casefold().split())
