"""Affinities of reviewers and submissions from the vectors of papers, and their scale.

The similarity of a submission and a paper is their cosine, or the mean of their cosines in several
embedding spaces. The evidence of a paper is its similarity, times the weight of the paper if the
similarity is positive. The weight, from 0 to 1, depends on the age of the paper and on the position
of the reviewer among its authors. The affinity aggregates the evidence of all papers of a reviewer
(`Aggregation`).

A score depends on the submission and on the papers of the reviewer only. When other reviewers or
submissions join or leave, it stays the same up to the last bits of a float32 sum. A reviewer
without papers has the affinity 0. bench/RESULTS.md compares the default, the mean of the 3 most
similar papers, with alternatives on rated expertise.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError, require_choice
from specter_graph.core.vectors import Vectors, unit

AggregationMethod: TypeAlias = Literal["max", "mean", "top", "percentile", "softmax"]
METHODS: tuple[AggregationMethod, ...] = get_args(AggregationMethod)
Floats: TypeAlias = NDArray[np.float64]

_PAPERS_PER_BLOCK, _SUBMISSIONS_PER_BLOCK = 2_560, 1_024  # smaller products are slower
EXAMPLES = (0.3, 0.5, 0.7)
"""Affinities that pages explain."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """An aggregation of the evidence of a reviewer's papers into one affinity.

    Attributes:
        method: `max` (best paper), `mean` (all papers), `top` (mean of the `k` best papers, or of
            all if there are fewer), `percentile`, or `softmax` (mean weighted by
            exp(evidence / temperature)).
        k: Number of papers for `top`.
        percentile: Percentile, 0 to 100.
        temperature: Temperature of the softmax.

    Raises:
        InputError: A value is out of range.
    """

    method: AggregationMethod = "top"
    k: int = 3
    percentile: float = 90.0
    temperature: float = 0.2

    def __post_init__(self) -> None:
        require_choice("aggregation", self.method, METHODS)
        if self.k < 1:
            raise InputError(f"k is {self.k}; it must be 1 or more")
        if not 0 <= self.percentile <= 100:
            raise InputError(f"the percentile is {self.percentile}; it must be from 0 to 100")
        if not self.temperature > 0:
            raise InputError(f"the temperature is {self.temperature}; it must be positive")


DEFAULT = Aggregation()


@dataclass(frozen=True, slots=True)
class Similarity:
    """Vectors whose products are similarities: `submissions[i] @ papers[j]`.

    Attributes:
        submissions: (s, D) float32, with D the sum of the dimensions of all spaces.
        papers: (n, D) float32.
    """

    submissions: Vectors
    papers: Vectors

    @classmethod
    def from_spaces(cls, spaces: Sequence[tuple[Vectors, Vectors]]) -> "Similarity":
        """Average the cosines of spaces, each given as vectors (s, d) and (n, d)."""
        submissions, papers = (
            np.hstack([unit(vectors) for vectors in side]) for side in zip(*spaces, strict=True)
        )
        return cls(submissions / np.float32(len(spaces)), papers)


@dataclass(frozen=True, slots=True)
class Profiles:
    """The papers of r reviewers. A paper can belong to several reviewers.

    Attributes:
        offsets: (r + 1,) int64; `papers[offsets[i] : offsets[i + 1]]` belong to reviewer i.
        papers: (m,) int64, rows of the vectors of papers.
        weights: (m,) float32, from 0 to 1.
    """

    offsets: NDArray[np.int64]
    papers: NDArray[np.int64]
    weights: Vectors

    @classmethod
    def from_lists(
        cls, papers: Sequence[Sequence[int]], weights: Sequence[Iterable[float]] | None = None
    ) -> "Profiles":
        """Build profiles from a list of papers for each reviewer; weights are 1 by default."""
        offsets = np.cumsum([0, *map(len, papers)])
        flat = np.array([paper for own in papers for paper in own], np.int64)
        flat_weights = (
            [weight for own in weights for weight in own] if weights else np.ones(len(flat))
        )
        return cls(offsets, flat, np.asarray(flat_weights, np.float32))

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class PaperEvidence:
    """A paper that supports a pair: row of its vector, similarity and weight."""

    paper: int
    similarity: float
    weight: float


def affinities(
    similarity: Similarity, profiles: Profiles, aggregation: Aggregation = DEFAULT
) -> Vectors:
    """Return the affinity of each submission and reviewer, (s, r) float32."""
    scores = np.zeros((len(similarity.submissions), len(profiles)), np.float32)
    for reviewers, places in _blocks(profiles):
        papers = similarity.papers[profiles.papers[places].ravel()]
        weights = profiles.weights[places][..., None]
        weighted = bool((weights < 1).any())
        for start in range(0, len(scores), _SUBMISSIONS_PER_BLOCK):
            rows = slice(start, start + _SUBMISSIONS_PER_BLOCK)
            evidence = (papers @ similarity.submissions[rows].T).reshape(*places.shape, -1)
            if weighted:
                np.minimum(evidence, evidence * weights, out=evidence)
            scores[rows, reviewers] = aggregate(evidence, aggregation).T
    return scores


def aggregate(evidence: Vectors, aggregation: Aggregation = DEFAULT) -> Vectors:
    """Aggregate an array (papers, ...) over its first axis. The array may be overwritten."""
    match aggregation.method:
        case "max":
            return np.asarray(evidence.max(axis=0))
        case "mean":
            return np.asarray(evidence.mean(axis=0))
        case "top":
            return _mean_of_top(evidence, aggregation.k)
        case "percentile":
            result = np.percentile(evidence, aggregation.percentile, axis=0, overwrite_input=True)
            return np.asarray(result, np.float32)
        case "softmax":
            shares = np.exp((evidence - evidence.max(axis=0)) / np.float32(aggregation.temperature))
            return np.asarray((shares * evidence).sum(axis=0) / shares.sum(axis=0))


def top_reviewers(scores: Vectors, limit: int) -> NDArray[np.int64]:
    """Return the best reviewers of each submission, best first.

    Args:
        scores: (s, r) affinities; the first of equal ones comes first.
        limit: Number of reviewers m of each submission, at most r.

    Returns:
        Columns of reviewers, (s, m).
    """
    order = [np.argsort(-own, kind="stable")[:limit] for own in scores]
    return np.array(order, np.int64).reshape(len(scores), min(limit, scores.shape[1]))


def strongest_papers(
    similarity: Similarity, profiles: Profiles, submission: int, reviewer: int, limit: int = 3
) -> list[PaperEvidence]:
    """Return the papers of a reviewer with the most evidence for a submission, strongest first."""
    own = slice(profiles.offsets[reviewer], profiles.offsets[reviewer + 1])
    papers, weights = profiles.papers[own], profiles.weights[own]
    cosines = similarity.papers[papers] @ similarity.submissions[submission]
    order = np.argsort(-np.minimum(cosines, cosines * weights), kind="stable")[:limit]
    return [PaperEvidence(int(papers[i]), float(cosines[i]), float(weights[i])) for i in order]


def recency_weights(years: Floats, half_life: float) -> Floats:
    """Return weights that halve every `half_life` years.

    Args:
        years: Ages of papers in years; unknown ages (NaN) count as `half_life`, negative ones as 0.
        half_life: Years after which the weight of a paper has halved.

    Raises:
        InputError: The half-life is not positive.
    """
    if not half_life > 0:
        raise InputError(f"the half-life is {half_life}; it must be positive")
    ages = np.where(np.isnan(years), half_life, np.maximum(years, 0))
    return np.asarray(0.5 ** (ages / half_life))


def position_weights(
    positions: NDArray[np.int64], authors: NDArray[np.int64], middle: float = 0.5
) -> Floats:
    """Return 1 for the first and the last author of a paper, and `middle` for the other authors.

    Args:
        positions: Positions of the reviewer among the authors, from 1.
        authors: Numbers of authors of the papers.
        middle: The weight for the other authors, in (0, 1].

    Raises:
        InputError: `middle` is not above 0 and at most 1.
    """
    if not 0 < middle <= 1:
        raise InputError(f"the weight of a middle author is {middle}; it must be in (0, 1]")
    return np.where((positions <= 1) | (positions >= authors), 1.0, middle)


def _mean_of_top(evidence: Vectors, k: int) -> Vectors:
    """Keep the k best papers while reading one after another, without sorting."""
    if k >= len(evidence):
        return np.asarray(evidence.mean(axis=0))
    best = [evidence[0]]
    for paper in evidence[1:]:
        for rank, place in enumerate(best):
            best[rank] = np.maximum(place, paper)
            np.minimum(place, paper, out=paper)
        if len(best) < k:
            best.append(paper)
    return np.asarray(sum(best[1:], best[0]) / np.float32(k))


def _blocks(profiles: Profiles) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield reviewers with equal numbers of papers, (b,), and their papers' places, (papers, b)."""
    sizes = np.diff(profiles.offsets)
    for size in np.unique(sizes[sizes > 0]):
        reviewers = np.flatnonzero(sizes == size)
        step = max(1, _PAPERS_PER_BLOCK // int(size))
        for start in range(0, len(reviewers), step):
            block = reviewers[start : start + step]
            yield block, profiles.offsets[block] + np.arange(size)[:, None]


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """An affinity, the percentage of pairs below it, and the mean reviewers that reach it."""

    affinity: float
    percentile: float
    reviewers: float


@dataclass(frozen=True, slots=True)
class AffinityScale:
    """The affinity percentiles 0 to 100 of all pairs of a venue, and its number of reviewers.

    The meaning of an affinity depends on the embedding space and on the venue. Its percentile says
    how it compares with the other pairs. A scale of a scoring before reviewers or their papers
    changed is not current.
    """

    percentiles: Sequence[float]
    reviewers: int
    is_current: bool = True

    @classmethod
    def of(cls, affinity: Vectors) -> "AffinityScale":
        """Return the scale of affinities, (submissions, reviewers)."""
        percentiles = np.percentile(affinity, np.arange(101)) if affinity.size else np.zeros(101)
        return cls(percentiles.tolist(), affinity.shape[1])

    def percentile(self, affinity: float) -> float:
        """Return the percentage of pairs below an affinity, interpolated."""
        return float(np.interp(affinity, self.percentiles, np.arange(101), left=0, right=100))

    @property
    def rows(self) -> list[ScaleRow]:
        """The affinities to explain: round ones, the median and the highest percentiles."""
        values = {*EXAMPLES, *(self.percentiles[rank] for rank in (50, 90, 99))}
        ranks = [(value, self.percentile(value)) for value in sorted(values)]
        return [ScaleRow(value, rank, (100 - rank) / 100 * self.reviewers) for value, rank in ranks]
