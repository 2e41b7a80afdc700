"""Compute affinities: how well the papers of each reviewer match each submission.

The similarity of a submission and a paper is their cosine, or the mean of their cosines in several
embedding spaces. A paper's evidence is this similarity, times the paper's weight where it is
positive. The weight, in (0, 1], stands for the paper's age and for the reviewer's position among
its authors. The affinity aggregates (`Aggregation`) the evidence of all papers of the reviewer.

A score depends on its submission and on its reviewer's papers only: up to the last bits of a
float32 sum it stays the same when other reviewers or submissions join or leave. A reviewer without
papers has 0. docs/matching.md compares the default, the mean of the 3 most similar papers, with
alternatives on rated expertise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.vectors import Vectors, unit

Method: TypeAlias = Literal["max", "mean", "top", "percentile", "softmax"]
METHODS: tuple[Method, ...] = get_args(Method)
Floats: TypeAlias = NDArray[np.float64]

_PAPERS, _SUBMISSIONS = 2_560, 256  # in a block: what it holds stays in the caches


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How the evidence of a reviewer's papers becomes one affinity.

    - `max`: of the best paper; `mean`: over all papers.
    - `top`: mean of the `k` best, or of all where there are fewer.
    - `percentile`: the evidence that `percentile` per cent of the papers do not exceed.
    - `softmax`: mean weighted by exp(evidence / temperature).

    Raises InputError for a value out of range.
    """

    method: Method = "top"
    k: int = 3
    percentile: float = 90.0
    temperature: float = 0.2

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"there is no aggregation {self.method!r}", f"choose from {', '.join(METHODS)}"
            )
        if self.k < 1:
            raise InputError(f"k is {self.k}, and the mean of the top k needs 1 or more")
        if not 0 <= self.percentile <= 100:
            raise InputError(f"the percentile {self.percentile} is not between 0 and 100")
        if not self.temperature > 0:
            raise InputError(f"the temperature {self.temperature} is not positive")


DEFAULT = Aggregation()


@dataclass(frozen=True, slots=True)
class Similarity:
    """Similarities of s submissions and n papers: `submissions[i] @ papers[j]`.

    Float32 of shapes (s, D) and (n, D), with D the dimensions of all spaces together.
    """

    submissions: Vectors
    papers: Vectors

    @classmethod
    def over(cls, spaces: Sequence[tuple[Vectors, Vectors]]) -> "Similarity":
        """Average the cosines of several spaces, each given as vectors (s, d) and (n, d).

        Raises InputError for no space, and for vectors of different shapes.
        """
        if not spaces:
            raise InputError("no embedding space is given", "name at least one")
        for number, (submissions, papers) in enumerate(spaces, 1):
            sizes = len(submissions), len(papers)
            if sizes != tuple(map(len, spaces[0])) or submissions.shape[1] != papers.shape[1]:
                raise InputError(
                    f"space {number} has submissions of shape {submissions.shape} and papers of"
                    f" shape {papers.shape}, and space 1 {len(spaces[0][0])} submissions and"
                    f" {len(spaces[0][1])} papers"
                )
        submissions, papers = (
            np.hstack([unit(vectors) for vectors in side]) for side in zip(*spaces, strict=True)
        )
        return cls(submissions / np.float32(len(spaces)), papers)


@dataclass(frozen=True, slots=True)
class Profiles:
    """The papers of r reviewers; one paper can belong to several of them.

    Those of reviewer i are `papers[offsets[i] : offsets[i + 1]]`, rows of the papers' vectors, with
    `weights` in (0, 1] beside them. Integer arrays of shapes (r + 1,) and (m,), float32 (m,).
    """

    offsets: NDArray[np.int64]
    papers: NDArray[np.int64]
    weights: Vectors

    def __post_init__(self) -> None:
        if len(self.papers) != len(self.weights) or self.offsets[-1] != len(self.papers):
            raise InputError(
                f"{len(self.papers)} papers have {len(self.weights)} weights, and reviewers end at"
                f" {self.offsets[-1]}"
            )
        if not ((self.weights > 0) & (self.weights <= 1)).all():
            raise InputError("a paper's weight is not above 0 and at most 1")

    @classmethod
    def of(
        cls, papers: Sequence[Sequence[int]], weights: Sequence[Sequence[float]] | None = None
    ) -> "Profiles":
        """From a list of papers per reviewer; all weights are 1 where none are given."""
        sizes = [len(own) for own in papers]
        flat = np.array([paper for own in papers for paper in own], np.int64)
        heavy = [weight for own in weights for weight in own] if weights else np.ones(len(flat))
        return cls(np.cumsum([0, *sizes]), flat, np.asarray(heavy, np.float32))

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class Match:
    """A paper (row of the papers' vectors) that speaks for a pair, by weight * similarity."""

    paper: int
    similarity: float
    weight: float


def affinities(
    similarity: Similarity, profiles: Profiles, aggregation: Aggregation = DEFAULT
) -> Vectors:
    """The affinity of each submission and reviewer, float32 of shape (s, r)."""
    scores = np.zeros((len(similarity.submissions), len(profiles)), np.float32)
    for reviewers, places in _blocks(profiles):
        papers = similarity.papers[profiles.papers[places].ravel()]
        weights = profiles.weights[places][..., None]
        weighted = bool((weights < 1).any())
        for start in range(0, len(scores), _SUBMISSIONS):
            rows = slice(start, start + _SUBMISSIONS)
            evidence = (papers @ similarity.submissions[rows].T).reshape(*places.shape, -1)
            if weighted:
                np.minimum(evidence, evidence * weights, out=evidence)
            scores[rows, reviewers] = aggregate(evidence, aggregation).T
    return scores


def aggregate(evidence: Vectors, aggregation: Aggregation = DEFAULT) -> Vectors:
    """Aggregate over the first axis, the papers, of an array (papers, ...); it may be changed."""
    match aggregation.method:
        case "max":
            return np.asarray(evidence.max(axis=0))
        case "mean":
            return np.asarray(evidence.mean(axis=0))
        case "top":
            return _mean_of_top(evidence, aggregation.k)
        case "percentile":
            found = np.percentile(evidence, aggregation.percentile, axis=0, overwrite_input=True)
            return np.asarray(found, np.float32)
        case "softmax":
            shares = np.exp((evidence - evidence.max(axis=0)) / np.float32(aggregation.temperature))
            return np.asarray((shares * evidence).sum(axis=0) / shares.sum(axis=0))


def top_reviewers(scores: Vectors, m: int) -> tuple[NDArray[np.int64], Vectors]:
    """The m best reviewers of each submission, best first, and their scores: two arrays (s, m).

    `scores` has shape (s, r); of equal ones the first comes first. m is cut to r.
    """
    m = min(m, scores.shape[1])
    best = np.empty((len(scores), m), np.int64)
    for row, own in enumerate(scores):
        # All that reach the m-th best, few more than m, are sorted stably.
        least = np.partition(own, len(own) - m)[len(own) - m] if m else np.inf
        found = np.flatnonzero(own >= least)
        best[row] = found[np.argsort(-own[found], kind="stable")][:m]
    return best, np.take_along_axis(scores, best, axis=1)


def explain(
    similarity: Similarity, profiles: Profiles, submission: int, reviewer: int, limit: int = 3
) -> list[Match]:
    """The papers of a reviewer with the most evidence for a submission, the strongest first."""
    own = slice(profiles.offsets[reviewer], profiles.offsets[reviewer + 1])
    papers, weights = profiles.papers[own], profiles.weights[own]
    found = similarity.papers[papers] @ similarity.submissions[submission]
    order = np.argsort(-np.minimum(found, found * weights), kind="stable")[:limit]
    return [Match(int(papers[i]), float(found[i]), float(weights[i])) for i in order]


def recency_weights(years: Floats, half_life: float) -> Floats:
    """Weights that halve every `half_life` years; `years` are ages, NaN where not known.

    A paper of unknown age counts as one half-life old, one of the future as new.
    """
    if not half_life > 0:
        raise InputError(f"the half-life {half_life} is not positive")
    ages = np.where(np.isnan(years), half_life, np.maximum(years, 0))
    return np.asarray(0.5 ** (ages / half_life))


def position_weights(
    positions: NDArray[np.int64], authors: NDArray[np.int64], middle: float = 0.5
) -> Floats:
    """1 for a paper's first and last author, `middle` for those between.

    `positions`, from 1, are those of the reviewer, `authors` how many there are.
    """
    if not 0 < middle <= 1:
        raise InputError(f"the weight {middle} of a middle author is not above 0 and at most 1")
    return np.where((positions <= 1) | (positions >= authors), 1.0, middle)


def _mean_of_top(evidence: Vectors, k: int) -> Vectors:
    """Papers come one after another and push weaker ones out: few passes, no sorting."""
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
    """Reviewers with equally many papers, and where these stand: shapes (b,) and (papers, b)."""
    sizes = np.diff(profiles.offsets)
    for size in np.unique(sizes[sizes > 0]):
        alike = np.flatnonzero(sizes == size)
        step = max(1, _PAPERS // int(size))
        for start in range(0, len(alike), step):
            some = alike[start : start + step]
            yield some, profiles.offsets[some] + np.arange(size)[:, None]
