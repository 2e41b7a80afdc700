"""Recommendation: train a ranker on clicks on lists of similar papers (SPECTER, section 3.4).

The cosine of the vectors is one of ten features; the others come from titles, authors, citations
and years. Users click the top of a list more often, so each click is weighted by 1 / propensity of
its position, which a swap experiment measures (Agarwal et al. 2019; `feedback.clicks`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from specter_graph.core.errors import InputError, counted
from specter_graph.evaluation.feedback.clicks import Impression, propensities
from specter_graph.evaluation.metrics.ranking import Floats
from specter_graph.evaluation.metrics.task_results import Mean, Metric, TaskResult
from specter_graph.evaluation.protocols.click_ranker import ClickPairs, Ranker, train_ranker
from specter_graph.evaluation.protocols.dataset import (
    PaperVectors,
    Part,
    part_of,
    split_by_order,
    split_by_part,
)
from specter_graph.loaders.records import sample_key

FEATURES = (
    "author_match",
    "title_match",
    "embedding",
    "citation_overlap",
    "reference_overlap",
    "candidate_cites_query",
    "query_cites_candidate",
    "oldness",
    "relative_oldness",
    "citations",
)
LIST_LENGTH = 10
"""Number of papers on a list that is made from a reading history."""

_CLICKS_PER_READER = 5
_MAX_NEGATIVES = 10  # per click, for training
_WORDS = re.compile(r"\w+|[^\w\s]")
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Click:
    """A click on one paper of a list that was shown for `query`."""

    query: str
    clicked: str
    shown: tuple[str, ...]

    @property
    def place(self) -> int:
        """The position of the clicked paper, from 0."""
        return self.shown.index(self.clicked)

    @property
    def candidates(self) -> list[str]:
        """The clicked paper, then the other papers of the list."""
        return [self.clicked, *(paper for paper in self.shown if paper != self.clicked)]


@dataclass(frozen=True)
class PaperFacts:
    """The metadata that the features are computed from."""

    title: str = ""
    year: int | None = None
    authors: frozenset[str] = _NONE
    references: frozenset[str] = _NONE
    cited_by: frozenset[str] = _NONE

    @cached_property
    def words(self) -> frozenset[str]:
        """The words and punctuation marks of the title."""
        return frozenset(_WORDS.findall(self.title))


@dataclass(frozen=True, slots=True)
class ClickLog:
    """Clicks in three parts, and the propensity of each position."""

    parts: Mapping[Part, Sequence[Click]]
    propensities: Floats

    @classmethod
    def from_impressions(cls, log: Sequence[Impression], share: float) -> "ClickLog":
        """Split the clicks of a log by time; the training part gives the propensities."""
        parts = split_by_order(log, share)
        clicks = {
            part: [
                Click(impression.query, paper, impression.shown)
                for impression in impressions
                for paper in sorted(impression.clicked)
            ]
            for part, impressions in parts.items()
        }
        return cls(clicks, propensities(parts["train"]))

    @classmethod
    def from_histories(
        cls,
        histories: Iterable[tuple[str, Sequence[str]]],
        papers: Sequence[str],
        share: float,
        seed: int = 0,
    ) -> "ClickLog":
        """Make clicks from reading histories.

        For up to 5 random papers of a history, the paper is the query and the next one is clicked,
        on a list of 10 in random order; the other papers are random ones that the reader never
        read. All propensities are therefore 1. The parts have different readers.

        Args:
            histories: Readers with their papers in order.
            papers: Ids of all papers.
            share: The share of readers in the parts `test` and `validation`.
            seed: The random seed.
        """
        ordered = sorted(papers)
        parts = split_by_part(histories, lambda history: part_of(sample_key(history[0]), share))
        clicks = {
            part: [click for history in own for click in _make_clicks(*history, ordered, seed)]
            for part, own in parts.items()
        }
        return cls(clicks, np.ones(LIST_LENGTH))


def _make_clicks(
    reader: str, history: Sequence[str], papers: Sequence[str], seed: int
) -> list[Click]:
    own = set(history)
    generator = np.random.default_rng((seed, sample_key(reader)))
    places = generator.permutation(len(history) - 1) if len(history) > 1 else ()
    clicks = []
    for place in sorted(places[:_CLICKS_PER_READER]):
        query, clicked = history[place], history[place + 1]
        size = min(len(papers), LIST_LENGTH + len(own))
        sample = generator.choice(len(papers), size=size, replace=False)
        others = [papers[i] for i in sample if papers[i] not in own][: LIST_LENGTH - 1]
        if query != clicked and others:
            shown = generator.permutation([clicked, *others])
            clicks.append(Click(query, clicked, tuple(map(str, shown))))
    return clicks


def recommend(
    log: ClickLog,
    papers: Mapping[str, PaperFacts],
    vectors: PaperVectors,
    *,
    split: Literal["validation", "test"] = "test",
    as_scidocs: bool = False,
    now: int = 2020,
    seed: int = 7,
) -> TaskResult:
    """Train the ranker and score it: adjusted nDCG and P@1 over the clicks of a part.

    If n other papers are scored above the clicked one (a tie counts half), the nDCG of the click is
    1 / log2(2 + n), and P@1 is 1 if n = 0. Training and both averages are weighted by
    1 / propensity.

    Args:
        log: The clicks.
        papers: Metadata by paper.
        vectors: The vectors to score.
        split: The part to score.
        as_scidocs: Weigh all training clicks equally: the code of SciDocs uses the propensity of
            the last position for each of them.
        now: The present year, for the age of papers (default as in SciDocs).
        seed: The random seed of the ranker.

    Raises:
        InputError: The log has no clicks for training or scoring, a click is at a position without
            a propensity, or no paper has a vector.
    """
    train, scored = log.parts["train"], log.parts[split]
    if not train or not scored:
        raise InputError("recommendation needs clicks to train on, and clicks to score")
    named = papers_of(train, scored)
    vectors.require_any(named, "papers that were shown")
    weights = click_weights(log)
    training = np.full(len(weights), weights[-1]) if as_scidocs else weights
    features = Features(papers, vectors, now)
    chosen_on = log.parts["validation"] if split == "test" else ()  # never on the scored clicks
    ranker = train_ranker(
        features.pairs(train, training), features.pairs(chosen_on, training), seed
    )
    missing = vectors.count_missing(named)
    unknown = sum(paper not in papers for paper in named)
    notes = (
        (missing, f"{counted(missing, 'paper')} without a vector: the cosine is 0"),
        (unknown, f"{counted(unknown, 'paper')} without a record: the features are 0"),
    )
    return TaskResult(
        group="recommendation",
        items=tuple(f"{number}:{click.query}" for number, click in enumerate(scored)),
        metrics=_score(features, scored, ranker, weights),
        total=len(scored),
        papers=len(named),
        missing=missing,
        notes=tuple(note for count, note in notes if count),
    )


def papers_of(*parts: Iterable[Click | Impression]) -> set[str]:
    """Return the papers that parts of a log name: the queries and the lists that were shown."""
    return {paper for part in parts for click in part for paper in (click.query, *click.shown)}


def click_weights(log: ClickLog) -> Floats:
    """Return 1 / propensity of each position, with the mean propensity as 1 as in SciDocs."""
    furthest = max(click.place for part in log.parts.values() for click in part)
    if furthest >= len(log.propensities):
        raise InputError(
            f"a click is at position {furthest + 1}, but there are only"
            f" {len(log.propensities)} propensities"
        )
    if not (log.propensities > 0).all():
        raise InputError("propensities must be positive: they divide the weight of a click")
    weights: Floats = log.propensities.mean() / log.propensities
    return weights


def _score(
    features: "Features", clicks: Sequence[Click], ranker: Ranker, weights: Floats
) -> dict[str, Metric]:
    """Score clicks by the number of papers above the clicked one; a tie counts half."""
    rows = [features.of(click) for click in clicks]
    scores = ranker(np.concatenate(rows))
    above = np.empty(len(clicks))
    for i, (start, end) in enumerate(pairwise(np.cumsum([0, *map(len, rows)]))):
        own, others = scores[start], scores[start:end]  # the clicked paper is the first
        above[i] = (others > own).sum() + ((others == own).sum() - 1) / 2
    weight = np.array([weights[click.place] for click in clicks])
    return {
        "ndcg": Mean(1 / np.log2(2 + above), weight),
        "p@1": Mean((above == 0).astype(np.float64), weight),
    }


class Features:
    """Computes the ten features of a candidate for a query, as SciDocs does."""

    def __init__(self, papers: Mapping[str, PaperFacts], vectors: PaperVectors, now: int) -> None:
        self._now = now
        self._papers = papers
        self._vectors = vectors

    def pairs(self, clicks: Sequence[Click], weights: Floats) -> ClickPairs:
        """Pair the clicked paper with each of the first ten others on the list."""
        clicked, passed, weight = [], [], []
        for click in clicks:
            own, *others = self.of(click)
            for other in others[:_MAX_NEGATIVES]:
                clicked.append(own)
                passed.append(other)
                weight.append(weights[click.place])
        shape = (-1, len(FEATURES))
        return ClickPairs(
            np.array(clicked).reshape(shape), np.array(passed).reshape(shape), np.array(weight)
        )

    def of(self, click: Click) -> Floats:
        """Return the features of the candidates of a click, (candidates, 10)."""
        one, *others = self._vectors.get_or_zeros([click.query, *click.candidates])
        cosines = np.array(others) @ one
        lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(one)
        cosines = np.divide(cosines, lengths, out=np.zeros_like(cosines), where=lengths > 0)
        rows = [self._of_metadata(click.query, candidate) for candidate in click.candidates]
        return np.insert(np.array(rows, dtype=np.float64), 2, cosines, axis=1)

    def _of_metadata(self, query: str, candidate: str) -> list[float]:
        both = query in self._papers and candidate in self._papers
        source, known = (self._papers.get(paper, PaperFacts()) for paper in (query, candidate))
        return [
            _jaccard(source.authors, known.authors) if both else 0.0,
            _jaccard(source.words, known.words),
            _jaccard(source.cited_by, known.cited_by) if both else 0.0,
            _jaccard(source.references, known.references) if both else 0.0,
            float(candidate in source.cited_by or query in known.references),
            float(query in known.cited_by or candidate in source.references),
            _age(self._now, known.year),
            _age(source.year, known.year),
            float(np.log1p(len(known.cited_by))) / 10,
        ]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def _age(now: int | None, year: int | None) -> float:
    """Return the difference in units of 20 years, within -1..1; 0 if a year is unknown."""
    return 0.0 if now is None or year is None else max(-1.0, min(1.0, (now - year) / 20))
