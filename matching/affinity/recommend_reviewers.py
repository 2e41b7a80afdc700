"""Recommend reviewers for texts and submissions from stored vectors.

The scores are the scores of `scoring`, of texts with its default settings. Nothing is embedded or
written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import AFFINITY_SPACES, first_space
from specter_graph.graph.reviewing import archive_papers, venue_data
from specter_graph.loaders.review_records import Submission
from specter_graph.matching.affinity.aggregation import top_reviewers
from specter_graph.matching.affinity.scoring import (
    ScoreSettings,
    VenueScores,
    rows_of,
    score_papers,
    with_citations,
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
    space = name or first_space(db, AFFINITY_SPACES)
    if space is None:
        raise GraphError(
            "the graph has no embedding space for scores", "create one: specter-graph embed"
        )
    return space


def submission_vectors(db: Database, venue: str, space: str, keys: Sequence[str]) -> Vectors:
    """Return the vectors of submissions, (n, d), in this order.

    Raises GraphError if a submission has no vector yet.
    """
    stored, vectors = venue_data.read_submission_vectors(db, venue, space, keys)
    if missing := [key for key in keys if key not in stored]:
        raise GraphError(
            f"the submission {missing[0]!r} of {venue!r} has no vector in the space {space!r}",
            f"score the venue first: specter-graph match score {venue} -o scores.csv",
        )
    return vectors[rows_of(keys, stored)]


def score_submissions(
    db: Database, venue: str, keys: Sequence[str], settings: ScoreSettings, role: str | None = None
) -> VenueScores:
    """Score all reviewers of a venue for some submissions, from stored vectors.

    Args:
        db: The database.
        venue: Name of the venue.
        keys: Ids of the submissions.
        settings: Settings of the scores.
        role: Role of the reviewers, None for all roles.

    Returns:
        The scores, with the submissions in the order of `keys`.

    Raises:
        GraphError: The graph has no such venue, submission or space, a submission has no vector, or
            the venue has no reviewer.
        InputError: The reviewers have more than MAX_PAPERS papers.
    """
    known = {submission.id: submission for submission in venue_data.read_submissions(db, venue)}
    if unknown := [key for key in keys if key not in known]:
        raise GraphError(f"the venue {venue!r} has no submission {unknown[0]!r}")
    names = settings.spaces or (choose_space(db, None),)
    vectors = {name: submission_vectors(db, venue, name, keys) for name in names}
    scores = _score(db, venue, [known[key] for key in keys], vectors, settings, role)
    return with_citations(db, venue, scores, settings)


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
    scores = _score(db, venue, [], {space: vectors}, ScoreSettings())
    return with_papers(db, scores, top_reviewers(scores.affinity, k).tolist())


def with_papers(
    db: Database, scores: VenueScores, chosen: Sequence[Sequence[int]]
) -> list[list[RecommendedReviewer]]:
    """Return chosen reviewers with their supporting papers.

    Args:
        db: The database.
        scores: Scores of n texts or submissions.
        chosen: For each of them the columns of reviewers.
    """
    pairs = [(row, column) for row, columns in enumerate(chosen) for column in columns]
    papers = read_supporting_papers(db, scores, pairs)
    return [
        [
            RecommendedReviewer(
                scores.reviewers[column].id,
                scores.reviewers[column].name,
                float(scores.affinity[row, column]),
                papers[row, column],
            )
            for column in columns
        ]
        for row, columns in enumerate(chosen)
    ]


def read_supporting_papers(
    db: Database, scores: VenueScores, pairs: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], tuple[SupportingPaper, ...]]:
    """Return the supporting papers of pairs of a row and a column of the scores."""
    evidence = {pair: scores.supporting_papers(*pair) for pair in pairs}
    ids = sorted({paper for own in evidence.values() for paper, _ in own})
    literature, archived = archive_papers.read_titles_by_label(db, ids)
    titles = archived | literature
    return {
        pair: tuple(
            SupportingPaper(id_, titles[id_], each.similarity, each.weight, id_ not in literature)
            for id_, each in own
        )
        for pair, own in evidence.items()
    }


def _score(
    db: Database,
    venue: str,
    submissions: Sequence[Submission],
    vectors: Mapping[str, Vectors],
    settings: ScoreSettings,
    role: str | None = None,
) -> VenueScores:
    """Score texts by their vectors in each space, without citations."""
    people = venue_data.read_reviewers(db, venue, role)
    if not people:
        raise GraphError(
            f"{venue!r} has no reviewers", f"specter-graph match load {venue} --reviewers FILE"
        )
    written = [*venue_data.read_reviewer_papers(db, venue, [person.id for person in people])]
    ids_by_label = archive_papers.group_by_label(written)
    if (size := sum(map(len, ids_by_label.values()))) > MAX_PAPERS:
        raise InputError(
            f"the reviewers of {venue!r} have {size:,} papers; the limit is {MAX_PAPERS:,}",
            f"score all pairs: specter-graph match score {venue} -o scores.csv",
        )
    stored = {
        space: archive_papers.read_paper_vectors(db, space, ids_by_label) for space in vectors
    }
    papers = sorted(set.intersection(*({*ids} for ids, _ in stored.values())))
    parts = {
        space: (vectors[space], of_papers[rows_of(papers, ids)])
        for space, (ids, of_papers) in stored.items()
    }
    return score_papers(db, venue, submissions, people, written, papers, parts, settings)
