"""A page that a programme chair looks at: one HTML file, no network, no script."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import numpy as np

from specter_graph.core.files import complete_file
from specter_graph.loaders import review_records
from specter_graph.loaders.review_records import Conflict
from specter_graph.matching.affinity.scoring import VenueScores
from specter_graph.matching.assignment.venue_assignment import VenueProblem

_MAX_PAPERS = 2


@dataclass(frozen=True, slots=True)
class Assigned:
    """A reviewer of a submission; `because` are titles of the papers that matched best."""

    reviewer: str
    name: str
    affinity: float
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission with its reviewers; its authors are not in the report."""

    id: str
    title: str
    topics: tuple[str, ...]
    reviewers: tuple[Assigned, ...]

    @property
    def affinity(self) -> float:
        """The mean over its reviewers, 0 without any."""
        return mean([each.affinity for each in self.reviewers] or [0.0])


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """A reviewer with the number of papers that came and might have come."""

    id: str
    name: str
    senior: bool
    load: int
    minimum: int
    maximum: int
    affinity: float


@dataclass(frozen=True, slots=True)
class TopicRow:
    """How a topic fares: `places` are what its good reviewers can take, `needed` what it needs.

    A reviewer is good for a topic when the affinity to one of its submissions is at least the
    median affinity of all pairs that were assigned.
    """

    topic: str
    submissions: int
    needed: int
    reviewers: int
    places: int
    affinity: float

    @property
    def short(self) -> bool:
        """Whether there are too few good places."""
        return self.places < self.needed


@dataclass(frozen=True, slots=True)
class MatchingReport:
    """What the page shows; `settings` are lines that say how it was made."""

    venue: str
    settings: tuple[str, ...]
    submissions: Sequence[SubmissionRow]
    reviewers: Sequence[ReviewerRow]
    conflicts: Sequence[Conflict]
    topics: Sequence[TopicRow]

    @property
    def pairs(self) -> list[Assigned]:
        """All that were assigned."""
        return [each for row in self.submissions for each in row.reviewers]

    @property
    def median_affinity(self) -> float:
        """Of the pairs; 0 without any."""
        return median([each.affinity for each in self.pairs] or [0.0])

    @property
    def worst_first(self) -> list[SubmissionRow]:
        """The submissions, the worst served first."""
        return sorted(self.submissions, key=lambda row: (row.affinity, row.id))

    @property
    def busiest_first(self) -> list[ReviewerRow]:
        """The reviewers, the fullest first."""
        return sorted(self.reviewers, key=lambda row: (-row.load, row.id))

    @property
    def kinds(self) -> dict[str, tuple[int, int]]:
        """Conflicts by kind: how many are certain, how many likely."""
        kinds = sorted({each.kind for each in self.conflicts})
        of = {kind: [c.certain for c in self.conflicts if c.kind == kind] for kind in kinds}
        return {kind: (sum(certain), len(certain) - sum(certain)) for kind, certain in of.items()}

    @property
    def loads(self) -> list[tuple[int, int]]:
        """How many reviewers have how many papers, from none on."""
        counts = [row.load for row in self.reviewers]
        return [(load, counts.count(load)) for load in range(max(counts, default=-1) + 1)]


def write_report(report: MatchingReport, path: Path, *, evidence: bool = False) -> None:
    """Write the page. The evidence of conflicts tells who wrote what: it is left out if not asked.

    The file appears under its name when it is whole.
    """
    from jinja2 import Environment, PackageLoader

    page = Environment(
        loader=PackageLoader("specter_graph.matching", "."), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("report.html")  # fmt: skip
    with complete_file(path) as unfinished:
        unfinished.write_text(page.render(report=report, evidence=evidence), encoding="utf-8")


def build_report(
    venue: str,
    problem: VenueProblem,
    pairs: Sequence[review_records.Assigned],
    scores: VenueScores,
    titles: Mapping[str, str],
) -> MatchingReport:
    """The report of an assignment; `titles` are those of papers by id."""
    names = {each.id: each.name for each in problem.reviewers}
    of: dict[str, list[Assigned]] = defaultdict(list)
    load: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        because = scores.because(
            problem.rows[pair.submission], problem.columns[pair.reviewer], _MAX_PAPERS
        )
        told = tuple(titles.get(paper, paper) for paper, _ in because)
        of[pair.submission].append(
            Assigned(pair.reviewer, names[pair.reviewer], pair.affinity, told)
        )
        load[pair.reviewer].append(pair.affinity)
    maximum, minimum = problem.problem.maximum, problem.problem.minimum
    return MatchingReport(
        venue,
        _settings(problem, scores),
        [
            SubmissionRow(each.id, each.title, each.topics, tuple(of[each.id]))
            for each in problem.submissions
        ],
        [
            ReviewerRow(
                each.id,
                each.name,
                each.reviewer.senior,
                len(load[each.id]),
                int(minimum[number]),
                int(maximum[number]),
                float(np.mean(load[each.id] or [0.0])),
            )
            for number, each in enumerate(problem.reviewers)
        ],
        problem.conflicts,
        _topics(problem, pairs, of),
    )


def _settings(problem: VenueProblem, scores: VenueScores) -> tuple[str, ...]:
    asked = problem.settings
    return (
        f"{asked.per_submission} reviewers for each submission",
        f"{asked.minimum} to {asked.maximum} submissions for each reviewer",
        f"affinity by {' and '.join(scores.spaces)}",
    )


def _topics(
    problem: VenueProblem,
    pairs: Sequence[review_records.Assigned],
    of: Mapping[str, Sequence[Assigned]],
) -> list[TopicRow]:
    """How each topic fares; see `TopicRow`."""
    if not pairs:
        return []
    good = problem.affinity >= np.median([pair.affinity for pair in pairs])
    good &= problem.problem.allowed
    about: dict[str, list[int]] = defaultdict(list)
    for number, submission in enumerate(problem.submissions):
        for topic in submission.topics:
            about[topic].append(number)
    found = []
    for topic, numbers in sorted(about.items()):
        reviewers = good[numbers].any(axis=0)
        got = [each.affinity for number in numbers for each in of[problem.submissions[number].id]]
        found.append(
            TopicRow(
                topic,
                len(numbers),
                int(problem.problem.needed[numbers].sum()),
                int(reviewers.sum()),
                int(problem.problem.maximum[reviewers].sum()),
                float(np.mean(got or [0.0])),
            )
        )
    return found
