"""Report of an assignment for chairs: one HTML file without scripts, which needs no network."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean, median

import numpy as np

from specter_graph.core.atomic_files import write_page
from specter_graph.core.errors import counted, summarize_names
from specter_graph.graph.reviewing.assignments import PairPaths
from specter_graph.graph.reviewing.venue_data import distinct_names
from specter_graph.loaders import review_records
from specter_graph.loaders.review_records import Conflict
from specter_graph.matching.affinity.aggregation import AffinityScale
from specter_graph.matching.affinity.scoring import VenueScores
from specter_graph.matching.assignment.venue_assignment import Pair, VenueProblem

_MAX_PAPERS = 2


@dataclass(frozen=True, slots=True)
class AssignedReviewer:
    """A reviewer of a submission, with the reasons.

    Attributes:
        reviewer: Id of the reviewer.
        name: Name of the reviewer.
        affinity: Affinity of the pair.
        supporting: Titles of the reviewer's best papers.
        paths: Citation paths and common topics, in words.
    """

    reviewer: str
    name: str
    affinity: float
    supporting: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission with its reviewers, without its authors."""

    id: str
    title: str
    topics: tuple[str, ...]
    reviewers: tuple[AssignedReviewer, ...]

    @property
    def affinity(self) -> float:
        """The mean affinity of the reviewers, 0 without reviewers."""
        return mean([row.affinity for row in self.reviewers] or [0.0])

    @property
    def best(self) -> float:
        """The highest affinity of a reviewer, -1 without reviewers."""
        return max([row.affinity for row in self.reviewers], default=-1.0)


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """A reviewer with the assigned load and its bounds."""

    id: str
    name: str
    senior: bool
    load: int
    minimum: int
    maximum: int
    affinity: float


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic with the number of its good reviewers.

    A reviewer is good for a topic if the affinity to one of its submissions is at least the median
    affinity of all assigned pairs. `places` is the sum of the maximum loads of the good reviewers,
    `needed` the number of reviews that the topic needs.
    """

    topic: str
    submissions: int
    needed: int
    reviewers: int
    places: int
    affinity: float

    @property
    def is_short(self) -> bool:
        """True if the good reviewers have fewer places than the topic needs."""
        return self.places < self.needed


@dataclass(frozen=True)
class MatchingReport:
    """The content of the page; `settings` are lines about the settings."""

    venue: str
    settings: tuple[str, ...]
    submissions: Sequence[SubmissionRow]
    reviewers: Sequence[ReviewerRow]
    conflicts: Sequence[Conflict]
    topics: Sequence[TopicRow]
    scale: AffinityScale

    @cached_property
    def pairs(self) -> list[AssignedReviewer]:
        """All assigned reviewers, submission by submission."""
        return [pair for row in self.submissions for pair in row.reviewers]

    @cached_property
    def median_affinity(self) -> float:
        """The median affinity of the assigned pairs, 0 without pairs."""
        return median([pair.affinity for pair in self.pairs] or [0.0])

    @property
    def worst_first(self) -> list[SubmissionRow]:
        """The submissions, those whose best reviewer has the lowest affinity first."""
        return sorted(self.submissions, key=lambda row: (row.best, row.affinity, row.id))

    def has_good_reviewer(self, row: SubmissionRow) -> bool:
        """Return True if a reviewer has at least the median affinity of all assigned pairs."""
        return row.best >= self.median_affinity

    @property
    def without_good_reviewer(self) -> int:
        """The number of submissions without a good reviewer."""
        return sum(not self.has_good_reviewer(row) for row in self.submissions)

    @property
    def busiest_first(self) -> list[ReviewerRow]:
        """The reviewers, those with the highest load first."""
        return sorted(self.reviewers, key=lambda row: (-row.load, row.id))

    @property
    def kinds(self) -> dict[str, tuple[int, int]]:
        """Numbers of certain and of likely conflicts, by kind."""
        counts = Counter((conflict.kind, conflict.certain) for conflict in self.conflicts)
        return {
            kind: (counts[kind, True], counts[kind, False])
            for kind in sorted({k for k, _ in counts})
        }

    @property
    def loads(self) -> list[tuple[int, int]]:
        """Pairs of a load and the number of reviewers with this load, by load."""
        return sorted(Counter(row.load for row in self.reviewers).items())


def write_report(report: MatchingReport, path: Path | str, *, evidence: bool = False) -> None:
    """Write the page; the file appears when it is complete.

    `evidence` includes the evidence of conflicts, which reveals authors.
    """
    write_page(
        path, "specter_graph.matching", "assignment_report.html", report=report, evidence=evidence
    )


def build_report(
    venue: str,
    problem: VenueProblem,
    pairs: Sequence[review_records.AssignedPair],
    scores: VenueScores,
    paths: Mapping[Pair, PairPaths],
    titles: Mapping[str, str],
) -> MatchingReport:
    """Build the report of an assignment.

    Args:
        venue: Name of the venue.
        problem: The demands.
        pairs: The assignment.
        scores: The affinities.
        paths: Citation paths of the assigned pairs.
        titles: Titles of the papers of reviewers and on paths, by id.
    """
    names = distinct_names(problem.reviewers)
    assigned: dict[str, list[AssignedReviewer]] = defaultdict(list)
    load: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        row, column = problem.rows[pair.submission], problem.columns.get(pair.reviewer)
        # A reviewer who has another role by now has no scores.
        papers = [] if column is None else scores.supporting_papers(row, column, _MAX_PAPERS)
        supporting = tuple(titles.get(paper, paper) for paper, _ in papers)
        own = paths.get((pair.reviewer, pair.submission))
        kinds = own.by_kind(titles) if own else {}
        own_paths = tuple(
            f"{kind}: {summarize_names(entries, limit=_MAX_PAPERS)}"
            for kind, entries in kinds.items()
        )
        assigned[pair.submission].append(
            AssignedReviewer(
                pair.reviewer,
                names.get(pair.reviewer, pair.reviewer),
                pair.affinity,
                supporting,
                own_paths,
            )
        )
        load[pair.reviewer].append(pair.affinity)
    maximum, minimum = problem.problem.maximum, problem.problem.minimum
    settings = problem.settings
    return MatchingReport(
        venue,
        (
            f"{counted(settings.per_submission, 'reviewer')} for each submission",
            f"{settings.min_load} to {counted(settings.max_load, 'submission')} for each reviewer",
            f"affinity by {' and '.join(scores.spaces)}",
        ),
        [
            SubmissionRow(
                submission.id, submission.title, submission.topics, tuple(assigned[submission.id])
            )
            for submission in problem.submissions
        ],
        [
            ReviewerRow(
                reviewer.id,
                reviewer.name,
                reviewer.reviewer.senior,
                len(load[reviewer.id]),
                int(minimum[number]),
                int(maximum[number]),
                float(np.mean(load[reviewer.id] or [0.0])),
            )
            for number, reviewer in enumerate(problem.reviewers)
        ],
        problem.conflicts,
        _topics(problem, pairs, assigned),
        AffinityScale.of(scores.affinity),
    )


def _topics(
    problem: VenueProblem,
    pairs: Sequence[review_records.AssignedPair],
    assigned: Mapping[str, Sequence[AssignedReviewer]],
) -> list[TopicRow]:
    if not pairs:
        return []
    good = problem.affinity >= np.median([pair.affinity for pair in pairs])
    good &= problem.problem.allowed
    numbers_of: dict[str, list[int]] = defaultdict(list)
    for number, submission in enumerate(problem.submissions):
        for topic in submission.topics:
            numbers_of[topic].append(number)
    rows = []
    for topic, numbers in sorted(numbers_of.items()):
        reviewers = good[numbers].any(axis=0)
        ids = [problem.submissions[number].id for number in numbers]
        affinities = [reviewer.affinity for id_ in ids for reviewer in assigned[id_]]
        rows.append(
            TopicRow(
                topic,
                len(numbers),
                int(problem.problem.needed[numbers].sum()),
                int(reviewers.sum()),
                int(problem.problem.maximum[reviewers].sum()),
                float(np.mean(affinities or [0.0])),
            )
        )
    return rows
