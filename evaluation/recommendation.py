"""Recommendation: a ranker learns from clicks on lists of similar papers (SPECTER, section 3.4).

The vectors are one of ten features, their cosine; the others are of titles, authors, citations and
dates. Clicks lean to the top of a list: each counts 1 / propensity of the place that was clicked,
which a swap experiment measures (Agarwal et al. 2019; `evaluation.propensity`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.measures import Floats, Mean, Measure
from specter_graph.evaluation.outcomes import Outcome
from specter_graph.evaluation.ranker import Pairs, Ranker, train_ranker

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
_WORDS = re.compile(r"\w+|[^\w\s]")
_MOST_NEGATIVES = 10  # of a click, for training
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Click:
    """Somebody looked at `query`, was shown a list, and clicked one paper of it."""

    query: str
    clicked: str
    shown: tuple[str, ...]

    @property
    def place(self) -> int:
        """Where the clicked paper stood, from 0."""
        return self.shown.index(self.clicked)


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """What the features are computed from."""

    title: str = ""
    year: int | None = None
    authors: frozenset[str] = _NONE
    references: frozenset[str] = _NONE
    cited_by: frozenset[str] = _NONE
    words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", frozenset(_WORDS.findall(self.title)))


@dataclass(frozen=True, slots=True)
class ClickLog:
    """Clicks, the earlier ones for training, and the propensity of each place, from the first."""

    train: Sequence[Click]
    validation: Sequence[Click]
    test: Sequence[Click]
    propensities: Floats


def recommend(
    log: ClickLog,
    papers: Mapping[str, PaperFacts],
    embeddings: Embeddings,
    *,
    on: Literal["validation", "test"] = "test",
    as_scidocs: bool = False,
    now: int = 2020,
    seed: int = 7,
) -> Outcome:
    """Train the ranker and score it: adjusted nDCG and P@1 over the clicks of `on`.

    Of a click with n other papers scored above the clicked one (a tie counts half) the nDCG is
    1 / log2(2 + n), and P@1 is 1 when n = 0; both are averaged with the weights 1 / propensity.

    The ranker is trained with the same weights. `as_scidocs` reproduces that its code looks up the
    propensity of the last place for every training click, whatever was clicked, so that none
    weighs more than another. `now` is the year from which the age of a paper is counted, by default
    that of SciDocs.

    Raises InputError for an empty log, a click further down than there are propensities, or when
    none of the papers has a vector.
    """
    scored = {"validation": log.validation, "test": log.test}[on]
    if not log.train or not scored:
        raise InputError("there are no clicks to train the ranker with, or none to score it on")
    named = {
        paper for clicks in (log.train, scored) for c in clicks for paper in (c.query, *c.shown)
    }
    embeddings.require_any(named, "papers that were shown")
    weights = _weights(log)
    flat = np.full(len(weights), weights[-1])
    features = _Features(papers, embeddings, now)
    learnt = flat if as_scidocs else weights
    chosen_on = log.validation if on == "test" else ()  # what is scored chooses nothing
    ranker = train_ranker(
        features.pairs(log.train, learnt), features.pairs(chosen_on, learnt), seed
    )
    return Outcome(
        group="recommendation",
        items=tuple(f"{number}:{click.query}" for number, click in enumerate(scored)),
        measures=_measures(features, scored, ranker, weights),
        asked=len(scored),
        papers=len(named),
        missing=embeddings.missing(named),
        notes=_notes(named, papers, embeddings),
    )


def _weights(log: ClickLog) -> Floats:
    """1 / propensity of each place, the propensities scaled to a mean of 1 as SciDocs does."""
    furthest = max(click.place for part in (log.train, log.validation, log.test) for click in part)
    if furthest >= len(log.propensities):
        raise InputError(
            f"a paper was clicked at place {furthest + 1}, and there are propensities for"
            f" {len(log.propensities)} places"
        )
    if not (log.propensities > 0).all():
        raise InputError("a propensity is not positive: a click there would weigh infinitely")
    weights: Floats = log.propensities.mean() / log.propensities
    return weights


def _measures(
    features: "_Features", clicks: Sequence[Click], ranker: Ranker, weights: Floats
) -> dict[str, Measure]:
    above = _above(features, clicks, ranker)
    weight = np.array([weights[click.place] for click in clicks])
    return {
        "ndcg": Mean(1 / np.log2(2 + above), weight),
        "p@1": Mean((above == 0).astype(np.float64), weight),
    }


def _above(features: "_Features", clicks: Sequence[Click], ranker: Ranker) -> Floats:
    """How many of the other papers the ranker puts above the clicked one; a tie is half."""
    rows = [features.of(click.query, _shown_once(click)) for click in clicks]
    scores = ranker(np.concatenate(rows))
    ends = np.cumsum([0, *map(len, rows)])
    above = []
    for (start, end), click in zip(pairwise(ends), clicks, strict=True):
        own = scores[start + _shown_once(click).index(click.clicked)]
        others = scores[start:end]
        above.append((others > own).sum() + ((others == own).sum() - 1) / 2)
    return np.array(above, dtype=np.float64)


def _shown_once(click: Click) -> list[str]:
    """The clicked paper, and the others as often as they were shown."""
    return [click.clicked, *(paper for paper in click.shown if paper != click.clicked)]


class _Features:
    """The ten features of a candidate for a query, as SciDocs computes them."""

    def __init__(self, papers: Mapping[str, PaperFacts], embeddings: Embeddings, now: int) -> None:
        self._now = now
        self._papers = papers
        self._embeddings = embeddings

    def pairs(self, clicks: Sequence[Click], weights: Floats) -> Pairs:
        """A clicked paper and one that was shown beside it, for each of the first ten of these."""
        clicked, passed, weight = [], [], []
        for click in clicks:
            own, *others = self.of(click.query, _shown_once(click))
            for other in others[:_MOST_NEGATIVES]:
                clicked.append(own)
                passed.append(other)
                weight.append(weights[click.place])
        shape = (-1, len(FEATURES))
        return Pairs(
            np.array(clicked).reshape(shape), np.array(passed).reshape(shape), np.array(weight)
        )

    def of(self, query: str, candidates: Sequence[str]) -> Floats:
        """The features of candidates, (candidates, 10)."""
        one, *others = self._embeddings.or_zeros([query, *candidates])
        cosines = np.array(others) @ one
        lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(one)
        cosines = np.divide(cosines, lengths, out=np.zeros_like(cosines), where=lengths > 0)
        rows = [self._of_metadata(query, candidate) for candidate in candidates]
        return np.insert(np.array(rows, dtype=np.float64), 2, cosines, axis=1)

    def _of_metadata(self, query: str, candidate: str) -> list[float]:
        asked, found = self._papers.get(query), self._papers.get(candidate)
        known = found or PaperFacts()
        both = bool(asked and found)
        source = asked or PaperFacts()
        return [
            _jaccard(source.authors, known.authors) if both else 0.0,
            _jaccard(source.words, known.words),
            _jaccard(source.cited_by, known.cited_by) if both else 0.0,
            _jaccard(source.references, known.references) if both else 0.0,
            float(candidate in source.cited_by or query in known.references),
            float(query in known.cited_by or candidate in source.references),
            0.0 if known.year is None else _clipped((self._now - known.year) / 20),
            0.0
            if source.year is None or known.year is None
            else _clipped((source.year - known.year) / 20),
            float(np.log1p(len(known.cited_by))) / 10,
        ]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def _clipped(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _notes(
    named: set[str], papers: Mapping[str, PaperFacts], embeddings: Embeddings
) -> tuple[str, ...]:
    told = []
    if missing := embeddings.missing(named):
        told.append(f"{missing:,} papers have no vector: their cosine is 0")
    if unknown := sum(paper not in papers for paper in named):
        told.append(f"{unknown:,} papers have no record: their features are 0")
    return tuple(told)
