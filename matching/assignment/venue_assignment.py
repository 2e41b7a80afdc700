"""Assignment of the reviewers of a venue: ids instead of numbers, without conflicts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn, TypeAlias, get_args

import numpy as np

from specter_graph.core.errors import InputError, require_choice, require_counts, summarize_names
from specter_graph.graph.reviewing import venue_data
from specter_graph.graph.reviewing.conflict_detection import CONFLICT_YEARS
from specter_graph.loaders.review_records import (
    REVIEWER,
    AssignedPair,
    Bid,
    Conflict,
    Reviewer,
    normalize_name,
)
from specter_graph.matching.affinity.scoring import AffinityMatrix, ScoreSettings, VenueScores
from specter_graph.matching.assignment.infeasibility import Explanation, explain
from specter_graph.matching.assignment.optimal import assign, assign_fairly, reassign
from specter_graph.matching.assignment.problem import (
    Affinities,
    Assignment,
    AssignmentProblem,
    Bools,
    GroupLimit,
    InfeasibleError,
    Ints,
    ProblemError,
    with_bids,
)
from specter_graph.matching.assignment.randomized import lottery

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
        bid_weight: Strength of bids, 1 to ignore them (`assignment.problem.with_bids`).
        exclude_likely: Exclude pairs whose conflict is only likely.
        method: `total` maximizes the total affinity, `fair` serves the worst-off submission first,
            `random` draws an assignment.
        max_probability: Maximum probability of a pair, for `random`.
        perturbation: Strength of the perturbation, 0 to 1, for `random`; it spreads the
            probabilities over more pairs (`assignment.randomized.lottery`).
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
        require_choice("method", self.method, get_args(AssignmentMethod))
        require_counts(per_submission=self.per_submission)
        require_counts(
            0, max_load=self.max_load, min_load=self.min_load, min_seniors=self.min_seniors
        )
        if self.max_per_region is not None:
            require_counts(max_per_region=self.max_per_region)
        if self.min_load > self.max_load:
            raise InputError(
                f"the minimum load {self.min_load} is above the maximum load {self.max_load}",
                "lower min_load or raise max_load",
            )
        if self.bid_weight < 1:
            raise InputError(f"the weight of bids is {self.bid_weight:g}", "use 1 or more")
        if self.side_rules and self.method != "total":
            raise InputError(
                f"the method {self.method} cannot respect {' and '.join(self.side_rules)}",
                "leave out these settings, or use the method total",
            )
        if self.perturbation and self.method != "random":
            raise InputError(
                f"the method {self.method} has no perturbation",
                "leave out perturbation, or use the method random",
            )

    @property
    def side_rules(self) -> list[str]:
        """The settings in use whose constraints need an integer program."""
        used = {
            "one_per_affiliation": self.one_per_affiliation,
            "max_per_region": self.max_per_region is not None,
            "no_reciprocal": self.no_reciprocal,
        }
        return [name for name, is_used in used.items() if is_used]


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


@dataclass(frozen=True, slots=True)
class PairRules:
    """Decisions of the chairs; a reviewer is an id or an e-mail address of the venue.

    Attributes:
        locked: Pairs that must be assigned, also against a conflict that is only likely.
        forbidden: Pairs that must not be assigned.
        removed_reviewers: Reviewers who get no submission.
    """

    locked: Collection[Pair] = ()
    forbidden: Collection[Pair] = ()
    removed_reviewers: Collection[str] = ()


NO_RULES = PairRules()


@dataclass(frozen=True, slots=True)
class VenueSettings:
    """Settings of a scoring and an assignment; the venue stores the settings of the last ones.

    `scores_file` is the name of the file of affinities, None for computed ones.
    """

    assignment: AssignSettings = field(default_factory=AssignSettings)
    scoring: ScoreSettings = field(default_factory=ScoreSettings)
    conflict_years: int = CONFLICT_YEARS
    scores_file: str | None = None


@dataclass(frozen=True, eq=False)
class VenueProblem(AffinityMatrix):
    """A problem with the ids of its papers and reviewers."""

    problem: AssignmentProblem
    conflicts: Sequence[Conflict]
    settings: AssignSettings

    def assign(self) -> list[AssignedPair]:
        """Return the assignment; raise InputError with the reasons if no assignment exists."""
        return self._pairs_with_ids(self._solve)

    def reassign(self, present: Iterable[AssignedPair]) -> list[AssignedPair]:
        """Return the assignment with the fewest changes of `present`; raises like `assign`."""
        rows, columns = self.rows, self.columns
        pairs = _to_array(
            (rows[pair.submission], columns[pair.reviewer])
            for pair in present
            if pair.submission in rows and pair.reviewer in columns
        )
        return self._pairs_with_ids(lambda problem: reassign(problem, pairs))

    def explain(self) -> Explanation:
        """Return the shortages that prevent an assignment, and the changes that help."""
        likely = _to_array(
            (self.rows[conflict.submission], self.columns[conflict.reviewer])
            for conflict in self.conflicts
            if not conflict.certain
        )
        return explain(self.problem, [submission.topics for submission in self.submissions], likely)

    def _solve(self, problem: AssignmentProblem) -> Assignment:
        settings = self.settings
        if settings.method == "random":
            chances = lottery(problem, settings.max_probability, settings.perturbation)
            return chances.draw(settings.seed)
        return assign_fairly(problem) if settings.method == "fair" else assign(problem)

    def _pairs_with_ids(
        self, solve: Callable[[AssignmentProblem], Assignment]
    ) -> list[AssignedPair]:
        try:
            solution = solve(self.problem)
        except InfeasibleError as error:
            self._explain(error)
        except ProblemError as error:
            raise _with_ids(error, self) from error
        locked = {(row, column) for row, column in self.problem.locked.tolist()}
        return [
            AssignedPair(
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
            names = " or ".join(self.settings.side_rules)
            raise InputError(error.message, f"leave out {names}") from error
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
        tracks: dict[str, list[int]] = defaultdict(list)
        for row, submission in enumerate(self.submissions):
            if submission.track is not None:
                tracks[normalize_name(submission.track)].append(row)
        rows = [(self.submissions[own[0]].track, own) for _, own in sorted(tracks.items())]
        rows.append((None, [*range(len(self.submissions))]))
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


def venue_problem(
    scores: AffinityMatrix,
    settings: AssignSettings,
    conflicts: Iterable[Conflict],
    rules: PairRules = NO_RULES,
    *,
    bids: Iterable[Bid] = (),
    others: Collection[tuple[venue_data.VenueReviewer, str]] = (),
) -> VenueProblem:
    """Build the problem of a venue.

    Args:
        scores: The affinities.
        settings: Demands on the assignment.
        conflicts: Conflicts to exclude.
        rules: Pairs and reviewers that are decided.
        bids: Bids, which change the affinities that the assignment maximizes.
        others: People of another assignment and their submissions, who count in groups.

    Raises:
        InputError: A locked pair has a certain conflict, an id is unknown, or, with bids, the
            affinity of an allowed pair is above 1.
    """
    rows, columns = scores.rows, scores.columns
    known = [conflict for conflict in conflicts if conflict.reviewer in columns]
    excluding = [conflict for conflict in known if conflict.certain or settings.exclude_likely]
    locked = _find_indices(rules.locked, scores, "locked pairs")
    forbidden = _find_indices(rules.forbidden, scores, "forbidden pairs")
    allowed = _in_tracks(scores)
    if settings.min_affinity is not None:  # compared without bids
        allowed &= scores.affinity >= settings.min_affinity
    for certain in (False, True):
        for conflict in excluding:
            if conflict.certain == certain:
                allowed[rows[conflict.submission], columns[conflict.reviewer]] = False
        if not certain:
            allowed[tuple(locked.T)] = True
    allowed[tuple(forbidden.T)] = False
    removed = [reviewer for reviewer in rules.removed_reviewers if reviewer not in columns]
    _require_known(removed, "removed reviewers")
    loads = [
        (0, 0) if each.id in rules.removed_reviewers else load_bounds(each, settings)
        for each in scores.reviewers
    ]
    demands = (submission.demand for submission in scores.submissions)
    needed = [settings.per_submission if demand is None else demand for demand in demands]
    try:
        problem = AssignmentProblem(
            affinity=_affinity_with_bids(scores, bids, allowed, settings.bid_weight),
            needed=np.array(needed, np.int64),
            minimum=np.array([minimum for minimum, _ in loads], np.int64),
            maximum=np.array([maximum for _, maximum in loads], np.int64),
            allowed=allowed,
            locked=locked,
            senior=np.array([member.reviewer.senior for member in scores.reviewers], np.bool_),
            seniors_per_paper=settings.min_seniors,
            groups=tuple(_group_limits(scores, settings, others)),
            authors=_to_array(
                (rows[conflict.submission], columns[conflict.reviewer])
                for conflict in known
                if conflict.kind == "author" and settings.no_reciprocal
            ),
        )
    except ProblemError as error:
        raise _with_ids(error, scores) from error
    return VenueProblem(
        scores.submissions, scores.reviewers, scores.affinity, problem, excluding, settings
    )


def _with_ids(error: ProblemError, matrix: AffinityMatrix) -> InputError:
    """Return the error with ids instead of numbers."""
    papers = [matrix.submissions[number].id for number in error.papers]
    people = [matrix.reviewers[number].id for number in error.reviewers]
    if len(papers) == len(people):
        names = [f"{paper} {person}" for paper, person in zip(papers, people, strict=True)]
    else:
        names = papers + people
    return InputError(
        f"{error.message}: {summarize_names(names)}" if names else error.message, error.hint
    )


def load_bounds(reviewer: venue_data.VenueReviewer, settings: AssignSettings) -> tuple[int, int]:
    """Return the minimum and the maximum number of submissions of a reviewer."""
    minimum, maximum = reviewer.reviewer.minimum, reviewer.reviewer.maximum
    if minimum is None:
        minimum = settings.min_load if maximum is None else min(settings.min_load, maximum)
    if maximum is None:
        maximum = max(settings.max_load, minimum)
    return minimum, maximum


def _affinity_with_bids(
    scores: AffinityMatrix, bids: Iterable[Bid], allowed: Bools, strength: float
) -> Affinities:
    rows, columns = scores.rows, scores.columns
    known = [bid for bid in bids if bid.submission in rows and bid.reviewer in columns]
    if strength == 1 or not known:
        return scores.affinity
    highest = scores.affinity[allowed].max(initial=0)
    if highest > _MAX_AFFINITY and not isinstance(scores, VenueScores):
        raise InputError(
            f"an affinity is {highest:g}; with bids, affinities must be at most 1",
            "scale the scores to 0..1, or ignore bids: bid_weight 1",
        )
    pairs = np.array([(rows[bid.submission], columns[bid.reviewer]) for bid in known], np.int64)
    values = np.array([bid.value for bid in known], np.float64)
    return with_bids(np.minimum(scores.affinity, 1), pairs, values, strength)


def _find_indices(pairs: Collection[Pair], matrix: AffinityMatrix, kind: str) -> Ints:
    """Return the rows and columns of pairs, (n, 2); raises InputError for an unknown id."""
    rows, columns = matrix.rows, matrix.columns
    unknown = [
        f"{reviewer}, {paper}"
        for reviewer, paper in pairs
        if reviewer not in columns or paper not in rows
    ]
    _require_known(unknown, kind)
    return _to_array((rows[paper], columns[reviewer]) for reviewer, paper in pairs)


def _to_array(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _require_known(unknown: Sequence[str], kind: str) -> None:
    if unknown:
        raise InputError(
            f"the venue does not have these {kind}: {summarize_names(unknown)}",
            "use the ids of the venue's lists",
        )


def covers_track(reviewer: Reviewer, track: str | None) -> bool:
    """Return True if a reviewer reviews for a track: without tracks, for all of them."""
    if track is None or not reviewer.tracks:
        return True
    return normalize_name(track) in map(normalize_name, reviewer.tracks)


def region_of(person: venue_data.VenueReviewer) -> str | None:
    """Return the region of a reviewer, None if unknown; equal regions are equal strings."""
    region = person.reviewer.region
    return None if region is None else normalize_name(region)


def _in_tracks(matrix: AffinityMatrix) -> Bools:
    """Return (submissions, reviewers): True where the reviewer covers the track."""
    covered = {
        track: [covers_track(member.reviewer, track) for member in matrix.reviewers]
        for track in {submission.track for submission in matrix.submissions}
    }
    rows = [covered[submission.track] for submission in matrix.submissions]
    return np.array(rows, np.bool_).reshape(matrix.affinity.shape)


def _group_limits(
    matrix: AffinityMatrix,
    settings: AssignSettings,
    others: Collection[tuple[venue_data.VenueReviewer, str]],
) -> Iterator[GroupLimit]:
    people = [*matrix.reviewers, *(person for person, _ in others)]
    other_rows = [matrix.rows[submission] for _, submission in others]
    if settings.one_per_affiliation:
        yield _group_limit([person.affiliations for person in people], 1, other_rows)
    if settings.max_per_region is not None:
        regions = [region_of(person) for person in people]
        names = [() if region is None else (region,) for region in regions]
        yield _group_limit(names, settings.max_per_region, other_rows)


def _group_limit(names: Sequence[Sequence[str]], maximum: int, rows: Sequence[int]) -> GroupLimit:
    """Limit groups, given by names; the last people are the others, at the papers `rows`."""
    number = {name: place for place, name in enumerate(sorted({n for own in names for n in own}))}
    members = [tuple(number[name] for name in own) for own in names]
    inside = len(members) - len(rows)
    taken = _to_array(
        (row, group) for row, own in zip(rows, members[inside:], strict=True) for group in own
    )
    return GroupLimit(tuple(members[:inside]), maximum, taken)
