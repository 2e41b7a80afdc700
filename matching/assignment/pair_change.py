"""The cost of a change of one pair of an assignment: affinity, and the demands it violates."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from specter_graph.core.errors import GraphError, InputError, counted
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing import venue_data
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.loaders.review_records import AssignedPair, Conflict
from specter_graph.matching.affinity.scoring import VenueScores
from specter_graph.matching.assignment.venue_assignment import (
    VenueProblem,
    VenueSettings,
    covers_track,
    region_of,
    venue_problem,
)

ViolationKind: TypeAlias = Literal[
    "load",
    "conflict",
    "affiliation",
    "track",
    "region",
    "reciprocal",
    "number",
    "seniors",
    "affinity",
    "bid",
]


@dataclass(frozen=True, slots=True)
class Violation:
    """A demand that a change violates, in words; a change that is `forbidden` is not possible."""

    kind: ViolationKind
    text: str
    forbidden: bool = False


@dataclass(frozen=True, slots=True)
class PairChange:
    """A replaced reviewer of a submission, with its cost.

    Attributes:
        submission: Id of the submission.
        removed: Id of the removed reviewer, None if one is only added.
        added: Id of the added reviewer, None if one is only removed.
        lost: Affinity of the removed pair, 0 without one.
        gained: Affinity of the added pair, 0 without one.
        total: Total affinity of the assignment before the change.
        violations: Demands that the changed assignment violates because of the change.
        scores_file: The file from which the assignment has its affinities. `lost` and `gained` are
            computed from vectors then, not on the scale of `total`.
    """

    submission: str
    removed: str | None
    added: str | None
    lost: float
    gained: float
    total: float
    violations: tuple[Violation, ...]
    scores_file: str | None = None

    @property
    def difference(self) -> float:
        """The change of the total affinity."""
        return self.gained - self.lost

    @property
    def is_possible(self) -> bool:
        """False if a violation forbids the change."""
        return not any(violation.forbidden for violation in self.violations)


def evaluate_change(
    db: Database,
    venue: str,
    assigned: Sequence[AssignedPair],
    settings: VenueSettings,
    scores: VenueScores,
    *,
    removed: str | None = None,
    added: str | None = None,
    others: Collection[tuple[venue_data.VenueReviewer, str]] = (),
) -> PairChange:
    """Return the cost of replacing a reviewer of the one submission of `scores`.

    Args:
        db: The database.
        venue: Name of the venue.
        assigned: The assignment.
        settings: Its settings.
        scores: Affinities of the submission and all reviewers.
        removed: The reviewer to remove, None to only add.
        added: The reviewer to add, None to only remove.
        others: People of an earlier assignment and their submissions, who count in groups.

    Raises:
        GraphError: The venue has no reviewer `added`.
        InputError: `removed` is not assigned, `added` is assigned already, or both are None.
    """
    [submission] = scores.submissions
    own = {pair.reviewer: pair for pair in assigned if pair.submission == submission.id}
    _check(submission.id, removed, added, own, scores)
    years = settings.conflict_years
    conflicts = [*find_conflicts(db, venue, conflict_years=years, submissions=[submission.id])]
    # Bids change the optimum, not the affinities that the graph stores.
    problem = venue_problem(scores, settings.assignment, conflicts)
    remaining = [reviewer for reviewer in own if reviewer != removed]
    load = Counter(pair.reviewer for pair in assigned)
    violations = [*_load_violations(problem, load, removed, added)]
    after = remaining if added is None else [*remaining, added]
    violations += _submission_violations(problem, own, after)
    if added is not None:
        violations += _pair_violations(problem, conflicts, added)
        # The problem lacks a reviewer who has another role by now.
        members = [person for person in problem.reviewers if person.id in remaining]
        members += [person for person, key in others if key == submission.id]
        violations += _group_violations(problem, added, members)
        if settings.assignment.no_reciprocal:
            authors = {conflict.reviewer for conflict in conflicts if conflict.kind == "author"}
            reviews = [pair for pair in assigned if pair.reviewer in authors]
            violations += _reciprocal_violations(db, venue, problem, reviews, added)
        bid = venue_data.bid_values(db, venue).get((added, submission.id), 0.0)
        if bid < 0:
            text = f"{_name(problem, added)} has a negative bid on the submission: {bid:g}"
            violations.append(Violation("bid", text))
    lost = own[removed].affinity if removed is not None else 0.0
    if settings.scores_file and removed in problem.columns:
        lost = _affinity(problem, removed)
    return PairChange(
        submission.id,
        removed,
        added,
        lost,
        _affinity(problem, added) if added is not None else 0.0,
        sum(pair.affinity for pair in assigned),
        tuple(violations),
        settings.scores_file,
    )


def _check(
    submission: str,
    removed: str | None,
    added: str | None,
    own: dict[str, AssignedPair],
    scores: VenueScores,
) -> None:
    if removed is None and added is None:
        raise InputError("the change names no reviewer", "name one to remove, to add, or both")
    if removed is not None and removed not in own:
        raise InputError(f"the reviewer {removed!r} is not assigned to {submission!r}")
    if added is not None and added not in scores.columns:
        raise GraphError(f"the venue has no reviewer {added!r}", "use the ids of the venue's lists")
    if added is not None and added in own:
        raise InputError(f"the reviewer {added!r} is already assigned to {submission!r}")


def _affinity(problem: VenueProblem, reviewer: str) -> float:
    return round(float(problem.affinity[0, problem.columns[reviewer]]), 6)


def _load_violations(
    problem: VenueProblem, load: Counter[str], removed: str | None, added: str | None
) -> Iterator[Violation]:
    bounds = problem.problem
    if added is not None:
        maximum = int(bounds.maximum[problem.columns[added]])
        if load[added] + 1 > maximum:
            text = f"{_name(problem, added)} gets {counted(load[added] + 1, 'submission')}"
            yield Violation("load", f"{text}; the maximum is {maximum}")
    if removed is not None and removed in problem.columns:
        minimum = int(bounds.minimum[problem.columns[removed]])
        if load[removed] - 1 < minimum:
            text = f"{_name(problem, removed)} keeps {counted(load[removed] - 1, 'submission')}"
            yield Violation("load", f"{text}; the minimum is {minimum}")


def _submission_violations(
    problem: VenueProblem, before: Collection[str], after: Collection[str]
) -> Iterator[Violation]:
    needed = int(problem.problem.needed[0])
    if len(after) != len(before) and len(after) != needed:
        yield Violation(
            "number", f"the submission has {counted(len(after), 'reviewer')}; it needs {needed}"
        )
    seniors, were = (
        sum(person.reviewer.senior for person in problem.reviewers if person.id in some)
        for some in (after, before)
    )
    if seniors < min(were, problem.settings.min_seniors):
        text = f"the submission has {seniors} senior reviewers; the minimum is"
        yield Violation("seniors", f"{text} {problem.settings.min_seniors}")


def _pair_violations(
    problem: VenueProblem, conflicts: Iterable[Conflict], added: str
) -> Iterator[Violation]:
    name = _name(problem, added)
    for conflict in conflicts:
        if conflict.reviewer == added:
            certain = "certain" if conflict.certain else "likely"
            text = f"{name} has a {certain} conflict of interest: {conflict.kind}"
            yield Violation("conflict", text, forbidden=conflict.certain)
    minimum = problem.settings.min_affinity
    if minimum is not None and _affinity(problem, added) < minimum:
        yield Violation("affinity", f"the affinity of {name} is below the minimum, {minimum:g}")


def _group_violations(
    problem: VenueProblem, added: str, others: Sequence[venue_data.VenueReviewer]
) -> Iterator[Violation]:
    """Yield violations by the affiliations, tracks and regions of the reviewers."""
    name, settings = _name(problem, added), problem.settings
    member = problem.reviewers[problem.columns[added]]
    for other in others:
        if {*member.affiliations} & {*other.affiliations}:
            text = f"{name} and {other.name} have the same affiliation"
            allowed = "" if settings.one_per_affiliation else ", which the settings allow"
            yield Violation("affiliation", text + allowed)
    reviewer, [submission] = member.reviewer, problem.submissions
    if not covers_track(reviewer, submission.track):
        yield Violation("track", f"{name} does not review for the track {submission.track}")
    same = [other for other in others if region_of(other) == region_of(member)]
    maximum = settings.max_per_region
    if maximum is not None and reviewer.region and len(same) + 1 > maximum:
        text = f"the submission has {len(same) + 1} reviewers of the region {reviewer.region}"
        yield Violation("region", f"{text}; the maximum is {maximum}")


def _reciprocal_violations(
    db: Database, venue: str, problem: VenueProblem, reviews: Iterable[AssignedPair], added: str
) -> Iterator[Violation]:
    """Yield the authors of the submission whose `reviews` are of the added reviewer's papers."""
    pairs = {pair.submission: pair.reviewer for pair in reviews}
    for conflict in find_conflicts(db, venue, submissions=[*pairs]) if pairs else ():
        if conflict.kind == "author" and conflict.reviewer == added:
            author = _name(problem, pairs[conflict.submission])
            text = f"{author}, an author, reviews a submission of {_name(problem, added)}"
            yield Violation("reciprocal", text)


def _name(problem: VenueProblem, reviewer: str) -> str:
    return problem.reviewers[problem.columns[reviewer]].name
