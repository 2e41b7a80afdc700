"""Gathers what the report of a matching shows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from specter_graph.matching.assigning import VenueProblem
from specter_graph.matching.records import Assigned as Pair
from specter_graph.matching.report import (
    Assigned,
    MatchingReport,
    ReviewerRow,
    SubmissionRow,
    TopicRow,
)
from specter_graph.matching.scoring import VenueScores

_BECAUSE = 2


def overview(
    venue: str,
    problem: VenueProblem,
    pairs: Sequence[Pair],
    scores: VenueScores,
    titles: Mapping[str, str],
) -> MatchingReport:
    """The report of an assignment; `titles` are those of papers by id."""
    names = {each.id: each.name for each in problem.reviewers}
    of: dict[str, list[Assigned]] = defaultdict(list)
    load: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        because = scores.because(
            problem.rows[pair.submission], problem.columns[pair.reviewer], _BECAUSE
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
    problem: VenueProblem, pairs: Sequence[Pair], of: Mapping[str, Sequence[Assigned]]
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
