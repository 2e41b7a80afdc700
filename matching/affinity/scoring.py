"""Affinities of all submissions and reviewers of a venue, computed from the graph.

Submissions and papers are compared in embedding spaces of the graph. Papers can count by age and by
the reviewer's position among the authors (`aggregation`), and citations can count too. A score
depends on the submission and on the papers of the reviewer; other reviewers do not change it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError, counted, text_list
from specter_graph.core.progress import Progress, batches, silent, tracked
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import CHUNK, PaperEncoder, embed
from specter_graph.graph.embeddings.spaces import (
    AFFINITY_SPACES,
    Label,
    first_space,
    get_space,
    outdated_ids,
    text_hash,
    text_parts,
    write_vectors,
)
from specter_graph.graph.reviewing import archive_papers, citation_signals, venue_data
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.review_records import Submission
from specter_graph.matching.affinity.aggregation import (
    DEFAULT,
    Aggregation,
    PaperEvidence,
    Profiles,
    Similarity,
    affinities,
    position_weights,
    recency_weights,
    strongest_papers,
)

_SHARED_REFERENCES, _PAPERS_BETWEEN = 4.0, 8.0
"""Numbers of shared references, and of papers between, that count as one cited paper."""


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """Settings for the affinities of submissions and reviewers.

    Attributes:
        spaces: Embedding spaces whose cosines are averaged; by default `base`, or `specter` if
            the graph has only that.
        aggregation: Aggregation of the papers of a reviewer.
        half_life: Years after which the weight of a paper halves, None to ignore age.
        middle_author_weight: Weight of a paper whose first or last author the reviewer is not.
        citation_weight: Share of the citation signal in the score, from 0 to below 1.
    """

    spaces: tuple[str, ...] = ()
    aggregation: Aggregation = DEFAULT
    half_life: float | None = None
    middle_author_weight: float = 1.0
    citation_weight: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "spaces", tuple(text_list("spaces", self.spaces)))
        if not 0 <= self.citation_weight < 1:
            raise InputError(
                f"the citation weight is {self.citation_weight:g}", "use 0 or more, and less than 1"
            )


@dataclass(frozen=True, eq=False)
class AffinityMatrix:
    """Affinities of submissions and reviewers.

    Attributes:
        submissions: The submissions, the rows of `affinity`.
        reviewers: The reviewers, the columns of `affinity`.
        affinity: (submissions, reviewers) float32.
    """

    submissions: Sequence[Submission]
    reviewers: Sequence[venue_data.VenueReviewer]
    affinity: Vectors

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each submission."""
        return {submission.id: number for number, submission in enumerate(self.submissions)}

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each reviewer."""
        return {reviewer.id: number for number, reviewer in enumerate(self.reviewers)}


@dataclass(frozen=True, eq=False)
class VenueScores(AffinityMatrix):
    """Affinities of a venue that were computed from the papers of the reviewers.

    Attributes:
        spaces: The embedding spaces that were used.
        similarity: Vectors of submissions and papers.
        profiles: Papers of each reviewer.
        papers: Ids of the papers, the rows of `similarity.papers`.
    """

    spaces: tuple[str, ...]
    similarity: Similarity
    profiles: Profiles
    papers: list[str]

    @property
    def without_papers(self) -> list[str]:
        """Ids of the reviewers without papers in the graph; their affinity is 0."""
        empty = np.flatnonzero(np.diff(self.profiles.offsets) == 0).tolist()
        return [self.reviewers[number].id for number in empty]

    def supporting_papers(
        self, submission: int, reviewer: int, limit: int = 3
    ) -> list[tuple[str, PaperEvidence]]:
        """Return the reviewer's papers with the most evidence for a pair, with their ids."""
        strongest = strongest_papers(self.similarity, self.profiles, submission, reviewer, limit)
        return [(self.papers[evidence.paper], evidence) for evidence in strongest]


def score_venue(
    db: Database,
    venue: str,
    settings: ScoreSettings,
    open_encoder: Callable[[str], PaperEncoder],
    progress: Progress = silent,
    role: str | None = None,
) -> VenueScores:
    """Score all pairs of a venue.

    Args:
        db: The database.
        venue: Name of the venue.
        settings: Settings of the scores.
        open_encoder: Opens the model of a space; called if a submission or a paper has no vector of
            its present text.
        progress: Called with running counts.
        role: Role of the reviewers, None for all roles.

    Raises:
        GraphError: The graph has no such venue, role or space.
    """
    names = settings.spaces
    if not names:
        space = first_space(db, AFFINITY_SPACES)
        if space is None:
            space = AFFINITY_SPACES[0]
            embed(db, open_encoder(space), space, progress)
        names = (space,)
    submissions = venue_data.read_submissions(db, venue)
    reviewers = venue_data.read_reviewers(db, venue, role)
    if not submissions or not reviewers:
        raise GraphError(
            f"{venue!r} has {counted(len(submissions), 'submission')} and"
            f" {counted(len(reviewers), 'reviewer')}",
            f"specter-graph match load {venue} --submissions FILE --reviewers FILE",
        )
    written = [*venue_data.read_reviewer_papers(db, venue, [reviewer.id for reviewer in reviewers])]
    ids_by_label = archive_papers.group_by_label(written)
    papers = [paper for ids in ids_by_label.values() for paper in ids]
    keys = [submission.id for submission in submissions]
    parts = {}
    for name in tracked(names, "vectors", progress):
        parts[name] = _read_or_embed(db, venue, name, keys, ids_by_label, open_encoder, progress)
    scores = score_papers(db, venue, submissions, reviewers, written, papers, parts, settings)
    return with_citations(db, venue, scores, settings)


def _read_or_embed(
    db: Database,
    venue: str,
    name: str,
    keys: Sequence[str],
    ids_by_label: dict[Label, list[str]],
    open_encoder: Callable[[str], PaperEncoder],
    progress: Progress,
) -> tuple[Vectors, Vectors]:
    """Return the vectors of submissions and papers, in these orders.

    Texts whose vector is missing or outdated are embedded first.
    """
    record = get_space(db, name)
    digest = record.digest
    encoder = cache(lambda: open_encoder(name))
    if outdated := venue_data.outdated_submissions(db, venue, name, digest):
        vectors = encoder().encode(outdated, _stage(progress, "submissions", 0, len(outdated)))
        venue_data.write_submission_vectors(db, venue, name, outdated, vectors, digest)
    for label, ids in ids_by_label.items():
        outdated = _outdated_papers(db, name, label, ids, digest, text_parts(record))
        for done, texts in enumerate(batches(outdated, CHUNK)):
            count = _stage(progress, "papers of reviewers", done * CHUNK, len(outdated))
            hashes = [text_hash(digest, text) for text in texts]
            vectors = encoder().encode(texts, count)
            write_vectors(db, name, [text.id for text in texts], vectors, hashes, label)
    stored_keys, of_submissions = venue_data.read_submission_vectors(db, venue, name, keys)
    stored_ids, of_papers = archive_papers.read_paper_vectors(db, name, ids_by_label)
    papers = [paper for ids in ids_by_label.values() for paper in ids]
    return of_submissions[rows_of(keys, stored_keys)], of_papers[rows_of(papers, stored_ids)]


def _stage(progress: Progress, stage: str, before: int, total: int) -> Progress:
    """Return the progress of an encoder as that of a stage, of which `before` texts are done."""
    return lambda _, done, _of: progress(stage, before + done, total)


def _outdated_papers(
    db: Database, space: str, label: Label, ids: Sequence[str], digest: str, parts: Sequence[str]
) -> list[PaperText]:
    """Return the texts whose vector is missing, or of another text or model."""
    changed: list[PaperText] = []
    for texts in batches(archive_papers.read_texts(db, label, ids, parts), CHUNK):
        hashes = [(text.id, text_hash(digest, text)) for text in texts]
        outdated = {*outdated_ids(db, space, hashes, label)}
        changed += [text for text in texts if text.id in outdated]
    return changed


def rows_of(wanted: Sequence[str], stored: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each of these ids among the stored ones."""
    places = {key: place for place, key in enumerate(stored)}
    return np.array([places[key] for key in wanted], np.int64)


def score_papers(
    db: Database,
    venue: str,
    submissions: Sequence[Submission],
    reviewers: Sequence[venue_data.VenueReviewer],
    written: Iterable[venue_data.ReviewerPaper],
    papers: list[str],
    parts: Mapping[str, tuple[Vectors, Vectors]],
    settings: ScoreSettings,
) -> VenueScores:
    """Score by the vectors of submissions and of `papers` in each space, without citations."""
    row = {paper: number for number, paper in enumerate(papers)}
    papers_of: dict[str, list[venue_data.ReviewerPaper]] = {
        reviewer.id: [] for reviewer in reviewers
    }
    for paper in written:
        if paper.paper in row:
            papers_of[paper.reviewer].append(paper)
    year = venue_data.require_venue(db, venue)
    profiles = Profiles.from_lists(
        [[row[paper.paper] for paper in own] for own in papers_of.values()],
        [_weights(own, settings, year) for own in papers_of.values()],
    )
    similarity = Similarity.from_spaces([*parts.values()])
    affinity = affinities(similarity, profiles, settings.aggregation)
    return VenueScores(submissions, reviewers, affinity, tuple(parts), similarity, profiles, papers)


def _weights(
    papers: Sequence[venue_data.ReviewerPaper], settings: ScoreSettings, year: int
) -> Iterable[float]:
    positions = np.array([paper.position for paper in papers], np.int64)
    authors = np.array([paper.authors for paper in papers], np.int64)
    weights = position_weights(positions, authors, settings.middle_author_weight)
    if settings.half_life is not None:
        ages = year - np.array([paper.year for paper in papers], float)  # NaN if unknown
        weights = weights * recency_weights(ages, settings.half_life)
    return weights


def with_citations(
    db: Database, venue: str, scores: VenueScores, settings: ScoreSettings
) -> VenueScores:
    """Return affinities in which the citation signal has the share `citation_weight`."""
    if not (share := settings.citation_weight):
        return scores
    submissions = [submission.id for submission in scores.submissions]
    reviewers = [reviewer.id for reviewer in scores.reviewers]
    cited = _citation_affinity(db, venue, submissions, reviewers)
    affinity = np.asarray(np.float32(1 - share) * scores.affinity + share * cited, np.float32)
    return replace(scores, affinity=affinity)


def _citation_affinity(
    db: Database, venue: str, submissions: Sequence[str], reviewers: Sequence[str]
) -> Vectors:
    """Return the citation signal 1 - 2^-n, (s, r) in [0, 1).

    n is the number of the reviewer's papers that the submission cites, plus fractions for shared
    references and for papers between.
    """
    signals = citation_signals.count_citation_signals(db, venue)
    counts = (
        signals.cited + signals.shared / _SHARED_REFERENCES + signals.two_hops / _PAPERS_BETWEEN
    )
    rows, columns = rows_of(submissions, signals.submissions), rows_of(reviewers, signals.reviewers)
    return np.asarray(1 - np.exp2(-counts.T.toarray()[np.ix_(rows, columns)]), np.float32)
