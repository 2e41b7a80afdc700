"""Scores of a venue: the affinity of every submission and reviewer, by what the graph has of them.

Submissions and papers are compared in embedding spaces of the graph, papers count by age and by the
reviewer's position among the authors (`affinity`), and what the submission cites can count too. A
score depends on its submission and on the reviewer's papers: it stays the same whoever else is in
the pool.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.graph import reviewing as venues
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import CHUNK, PaperEncoder, embed
from specter_graph.graph.embeddings.spaces import (
    Label,
    text_hash,
    text_parts,
    write_vectors,
)
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.embeddings.spaces import spaces as list_spaces
from specter_graph.graph.embeddings.spaces import stale as stale_ids
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.review_records import Submission
from specter_graph.matching.affinity.aggregation import (
    DEFAULT,
    Aggregation,
    Match,
    Profiles,
    Similarity,
    affinities,
    explain,
    position_weights,
    recency_weights,
)

USUAL_SPACES = ("specter", "base")
"""The first of them that the graph has is used when none is named."""

_SHARED, _TWO_HOPS = 4.0, 8.0
"""So many shared references, or papers between, say as much as one cited paper."""


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How submissions and reviewers are scored.

    `spaces` are averaged. A paper's weight halves every `half_life` years, and is `middle` for a
    reviewer who is neither its first nor its last author. `citations` is the share, below 1, of the
    citation signal in the score.
    """

    spaces: tuple[str, ...] = ()
    aggregation: Aggregation = DEFAULT
    half_life: float | None = None
    middle: float = 1.0
    citations: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.citations < 1:
            raise InputError(
                f"the share of citations is {self.citations:g}", "0 or more and below 1"
            )


@dataclass(frozen=True, eq=False)
class VenueScores:
    """The affinity, float32 of shape (submissions, reviewers), and what it was made from."""

    submissions: list[Submission]
    reviewers: list[venues.VenueReviewer]
    affinity: Vectors
    spaces: tuple[str, ...]
    similarity: Similarity
    profiles: Profiles
    papers: list[str]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each submission."""
        return {each.id: number for number, each in enumerate(self.submissions)}

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each reviewer."""
        return {each.id: number for number, each in enumerate(self.reviewers)}

    @property
    def without_papers(self) -> list[str]:
        """The reviewers of whom the graph has no paper; their affinity is 0."""
        none = np.flatnonzero(np.diff(self.profiles.offsets) == 0)
        return [self.reviewers[number].id for number in none]

    def because(self, submission: int, reviewer: int, limit: int = 3) -> list[tuple[str, Match]]:
        """The reviewer's papers that speak most for a pair, by their ids."""
        found = explain(self.similarity, self.profiles, submission, reviewer, limit)
        return [(self.papers[match.paper], match) for match in found]


def score(
    db: Database,
    venue: str,
    settings: ScoreSettings,
    open_encoder: Callable[[str], PaperEncoder],
    progress: Progress = silent,
) -> VenueScores:
    """Score all pairs of a venue.

    `open_encoder` opens the model of a space; it is called where a submission or a reviewer's paper
    has no vector of its present text. Raises GraphError where the graph has no such space or venue.
    """
    names = settings.spaces or (usual_space(db) or _made_space(db, open_encoder, progress),)
    submissions, reviewers = venues.submissions(db, venue), venues.reviewers(db, venue)
    if not submissions or not reviewers:
        raise GraphError(
            f"{venue!r} has {len(submissions)} submissions and {len(reviewers)} reviewers",
            f"specter-graph match load {venue} --submissions FILE --reviewers FILE",
        )
    written = list(venues.reviewer_papers(db, venue))
    labelled = venues.by_label(written)
    papers = [paper for ids in labelled.values() for paper in ids]
    keys = [each.id for each in submissions]
    parts = []
    for number, name in enumerate(names):
        progress("vectors", number, len(names))
        parts.append(_vectors(db, venue, name, keys, labelled, open_encoder, progress))
    progress("vectors", len(names), len(names))
    similarity = Similarity.over(parts)
    year = venues.require_venue(db, venue) or datetime.now(UTC).year
    profiles = profiles_of(written, [each.id for each in reviewers], papers, settings, year)
    affinity = affinities(similarity, profiles, settings.aggregation)
    if settings.citations:
        cited = _cited(db, venue, keys, [each.id for each in reviewers])
        affinity = np.float32(1 - settings.citations) * affinity + settings.citations * cited
    return VenueScores(submissions, reviewers, affinity, tuple(names), similarity, profiles, papers)


def usual_space(db: Database) -> str | None:
    """The space that is used when none is named, if the graph has any of them."""
    there = [each.property for each in list_spaces(db)]
    return next((name for name in USUAL_SPACES if name in there), None)


def _made_space(
    db: Database, open_encoder: Callable[[str], PaperEncoder], progress: Progress
) -> str:
    """A graph without any of the usual spaces gets the last."""
    embed(db, open_encoder(USUAL_SPACES[-1]), USUAL_SPACES[-1], progress)
    return USUAL_SPACES[-1]


def _vectors(
    db: Database,
    venue: str,
    name: str,
    keys: Sequence[str],
    papers: dict[Label, list[str]],
    open_encoder: Callable[[str], PaperEncoder],
    progress: Progress,
) -> tuple[Vectors, Vectors]:
    """Return the vectors of submissions and papers, in these orders.

    Texts whose vector is missing, or of another text, are embedded first.
    """
    record = find_space(db, name)
    digest = record.digest
    encoder = cache(lambda: open_encoder(name))
    if stale := venues.stale_submissions(db, venue, name, digest):
        vectors = encoder().encode(stale, None, progress)
        venues.write_submission_vectors(db, venue, name, stale, vectors, digest)
    for label, ids in papers.items():
        stale = _stale_papers(db, name, label, ids, digest, text_parts(record))
        for done, some in enumerate(batches(stale, CHUNK)):
            progress("embed", done * CHUNK, len(stale))
            marks = [text_hash(digest, text) for text in some]
            texts = [text.id for text in some]
            write_vectors(db, name, texts, encoder().encode(some), marks, label)
    of_submissions, own = venues.read_submission_vectors(db, venue, name, keys)
    found, theirs = venues.read_paper_vectors(db, name, papers)
    wanted = [paper for ids in papers.values() for paper in ids]
    return own[_order(of_submissions, keys)], theirs[_order(found, wanted)]


def _stale_papers(
    db: Database,
    space: str,
    label: Label,
    ids: Sequence[str],
    digest: str,
    parts: Sequence[str],
) -> list[PaperText]:
    """Return the texts whose vector is missing, or of another text or model."""
    changed: list[PaperText] = []
    for texts in batches(venues.texts_of(db, label, ids, parts), CHUNK):
        hashes = [(text.id, text_hash(digest, text)) for text in texts]
        found = {*stale_ids(db, space, hashes, label)}
        changed += [text for text in texts if text.id in found]
    return changed


def _order(found: Sequence[str], wanted: Sequence[str]) -> NDArray[np.int64]:
    places = {key: place for place, key in enumerate(found)}
    return np.array([places[key] for key in wanted], np.int64)


def profiles_of(
    written: Sequence[venues.ReviewerPaper],
    reviewers: Sequence[str],
    papers: Sequence[str],
    settings: ScoreSettings,
    year: int,
) -> Profiles:
    """What each reviewer wrote, rows of `papers`, with their weights."""
    row = {paper: number for number, paper in enumerate(papers)}
    of: dict[str, list[venues.ReviewerPaper]] = {reviewer: [] for reviewer in reviewers}
    for each in written:
        of[each.reviewer].append(each)
    weights = [_weights(own, settings, year) for own in of.values()]
    return Profiles.of([[row[each.paper] for each in own] for own in of.values()], weights)


def _weights(
    own: Sequence[venues.ReviewerPaper], settings: ScoreSettings, year: int
) -> Sequence[float]:
    positions = np.array([each.position for each in own], np.int64)
    authors = np.array([each.authors for each in own], np.int64)
    weights = position_weights(positions, authors, settings.middle)
    if settings.half_life:
        ages = np.array([np.nan if each.year is None else year - each.year for each in own])
        weights = weights * recency_weights(ages, settings.half_life)
    return [float(weight) for weight in weights]


def _cited(
    db: Database, venue: str, submissions: Sequence[str], reviewers: Sequence[str]
) -> Vectors:
    """The citation signal, (s, r) in [0, 1): 1 - 2^-n, n the papers of the reviewer that are cited.

    Shared references and papers between count as parts of one. It is 0 without citations.
    """
    found = venues.signals(db, venue)
    counts = found.cited + found.shared / _SHARED + found.two_hops / _TWO_HOPS
    rows, columns = _order(found.submissions, submissions), _order(found.reviewers, reviewers)
    return np.asarray(1 - np.exp2(-counts.T.toarray()[np.ix_(rows, columns)]), np.float32)
