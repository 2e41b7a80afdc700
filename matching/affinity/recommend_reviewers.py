"""Recommend reviewers for texts from stored vectors. Nothing is embedded or written.

The scores are the scores of `scoring` with its default settings.
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
    strongest_papers,
    top_reviewers,
)
from specter_graph.matching.affinity.scoring import (
    ScoreSettings,
    build_profiles,
    default_space,
)

MAX_PAPERS = 20_000
"""Papers of all reviewers of a venue; their vectors are read for each call."""


@dataclass(frozen=True, slots=True)
class SupportingPaper:
    """A paper of a reviewer that supports a pair.

    `archived` is true for a paper of an archive that the literature lacks.
    """

    id: str
    title: str
    similarity: float
    weight: float = 1.0
    archived: bool = False


@dataclass(frozen=True, slots=True)
class RecommendedReviewer:
    """A reviewer for a text, with the affinity and the supporting papers, strongest first."""

    reviewer: str
    name: str
    affinity: float
    papers: tuple[SupportingPaper, ...]


def choose_space(db: Database, name: str | None) -> str:
    """Return the given or the default space; raise GraphError if there is none."""
    space = name or default_space(db)
    if space is None:
        raise GraphError(
            "the graph has no embedding space for scores", "create one: specter-graph embed"
        )
    return space


def submission_vectors(db: Database, venue: str, space: str, keys: Sequence[str]) -> Vectors:
    """Return the vectors of submissions, (n, d), in this order.

    Raises GraphError if a submission has no vector yet.
    """
    stored, vectors = venues.read_submission_vectors(db, venue, space, keys)
    row = {key: number for number, key in enumerate(stored)}
    if missing := [key for key in keys if key not in row]:
        raise GraphError(
            f"the submission {missing[0]!r} of {venue!r} has no vector in the space {space!r}",
            f"score the venue first: specter-graph match affinity {venue} -o scores.csv",
        )
    return vectors[[row[key] for key in keys]]


def recommend_reviewers(
    db: Database, venue: str, vectors: Vectors, space: str, k: int
) -> list[list[RecommendedReviewer]]:
    """Return the k best reviewers of a venue for each of n texts.

    Args:
        db: The database.
        venue: Name of the venue.
        vectors: Vectors of the texts, (n, d).
        space: Embedding space; papers without a vector in it do not count.
        k: Number of reviewers for each text.

    Returns:
        For each text the reviewers, the best first.

    Raises:
        GraphError: The graph has no such venue or space, or the venue has no reviewer.
        InputError: The reviewers have more than MAX_PAPERS papers.
    """
    people = venues.read_reviewers(db, venue)
    if not people:
        raise GraphError(
            f"{venue!r} has no reviewers", f"specter-graph match load {venue} --reviewers FILE"
        )
    written = list(venues.read_reviewer_papers(db, venue))
    ids_by_label = venues.group_by_label(written)
    if (size := sum(map(len, ids_by_label.values()))) > MAX_PAPERS:
        raise InputError(
            f"the reviewers of {venue!r} have {size:,} papers; the limit is {MAX_PAPERS:,}",
            f"score all pairs: specter-graph match affinity {venue} -o scores.csv",
        )
    papers, paper_vectors = venues.read_paper_vectors(db, space, ids_by_label)
    with_vector = {*papers}
    profiles = build_profiles(
        [paper for paper in written if paper.paper in with_vector],
        [reviewer.id for reviewer in people],
        papers,
        ScoreSettings(),
        venues.require_venue(db, venue) or 0,
    )
    similarity = Similarity.from_spaces([(vectors, paper_vectors)])
    best, scores = top_reviewers(affinities(similarity, profiles), k)
    evidence = {
        (row, column): strongest_papers(similarity, profiles, row, column)
        for row, columns in enumerate(best.tolist())
        for column in columns
    }
    titles = venues.read_titles(db, [*{papers[p.paper] for own in evidence.values() for p in own}])
    archived = {*ids_by_label["ArchivePaper"]}

    def supporting(row: int, column: int) -> tuple[SupportingPaper, ...]:
        own = [(papers[support.paper], support) for support in evidence[row, column]]
        return tuple(
            SupportingPaper(id_, titles[id_], support.similarity, support.weight, id_ in archived)
            for id_, support in own
        )

    return [
        [
            RecommendedReviewer(
                people[column].id, people[column].name, score, supporting(row, column)
            )
            for column, score in zip(columns, row_scores, strict=True)
        ]
        for row, (columns, row_scores) in enumerate(
            zip(best.tolist(), scores.tolist(), strict=True)
        )
    ]
