"""Reviewers for a few texts, read from what the graph has: nothing is embedded or kept.

The scores are those of `scoring` with its usual settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.vectors import Vectors
from specter_graph.graph import reviewing as venues
from specter_graph.graph.database import Database
from specter_graph.matching.affinity.aggregation import (
    Similarity,
    affinities,
    explain,
    top_reviewers,
)
from specter_graph.matching.affinity.scoring import (
    ScoreSettings,
    profiles_of,
    usual_space,
)

MOST_PAPERS = 20_000
"""Of the reviewers together: their vectors are read for each question."""


@dataclass(frozen=True, slots=True)
class Because:
    """A paper of a reviewer that speaks for a text; `archived` is one of an archive only."""

    id: str
    title: str
    similarity: float
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Suggested:
    """A reviewer for a text, with the affinity and the papers behind it, the strongest first."""

    reviewer: str
    name: str
    affinity: float
    papers: tuple[Because, ...]


def space_for(db: Database, name: str | None) -> str:
    """The space to score in; raises GraphError where the graph has none to take."""
    chosen = name or usual_space(db)
    if chosen is None:
        raise GraphError("the graph has no space to score in", "specter-graph embed")
    return chosen


def submission_vectors(db: Database, venue: str, space: str, keys: Sequence[str]) -> Vectors:
    """The vectors of submissions, (n, d), in this order; GraphError where one has none yet."""
    found, vectors = venues.read_submission_vectors(db, venue, space, keys)
    row = {key: number for number, key in enumerate(found)}
    if lacking := [key for key in keys if key not in row]:
        raise GraphError(
            f"the submission {lacking[0]!r} of {venue!r} has not been scored yet in {space!r}",
            f"specter-graph match affinity {venue} -o scores.csv",
        )
    return vectors[[row[key] for key in keys]]


def suggest(
    db: Database, venue: str, vectors: Vectors, space: str, k: int
) -> list[list[Suggested]]:
    """The k best reviewers of a venue for each of some texts, whose vectors (n, d) are given.

    Papers of reviewers without a vector in the space do not count. Raises GraphError where there is
    no such venue, space or reviewer, InputError for more than MOST_PAPERS papers.
    """
    people = venues.reviewers(db, venue)
    if not people:
        raise GraphError(f"{venue!r} has no reviewers", f"specter-graph match load {venue}")
    written = list(venues.reviewer_papers(db, venue))
    wanted = venues.by_label(written)
    if (size := sum(map(len, wanted.values()))) > MOST_PAPERS:
        raise InputError(
            f"the reviewers of {venue!r} have {size:,} papers, more than are read at once",
            f"specter-graph match affinity {venue} -o scores.csv",
        )
    papers, theirs = venues.read_paper_vectors(db, space, wanted)
    known = {*papers}
    profiles = profiles_of(
        [each for each in written if each.paper in known],
        [each.id for each in people],
        papers,
        ScoreSettings(),
        venues.require_venue(db, venue) or 0,
    )
    similarity = Similarity.over([(vectors, theirs)])
    best, scores = top_reviewers(affinities(similarity, profiles), k)
    found = [
        [(column, explain(similarity, profiles, row, column)) for column in columns]
        for row, columns in enumerate(best.tolist())
    ]
    speaking = {papers[match.paper] for row in found for _, own in row for match in own}
    titles = venues.titles_of(db, [*speaking])
    archived = {*wanted["ArchivePaper"]}
    return [
        [
            Suggested(
                people[column].id,
                people[column].name,
                float(scores[row, place]),
                tuple(Because(id, titles[id], each.similarity, id in archived)
                      for each in own for id in [papers[each.paper]]),
            )
            for place, (column, own) in enumerate(columns)
        ]
        for row, columns in enumerate(found)
    ]  # fmt: skip
