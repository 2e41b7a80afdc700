"""How well scores order the papers that reviewers rated: the measures of the gold standard.

Source: Stelmakh, Wieting, Xi, Neubig, Shah, "A Gold Standard Dataset for the Reviewer Assignment
Problem" (2023), section 4. For each reviewer, each pair of papers that they rated differently:

- `loss`, a weighted Kendall tau: the weight of a pair is the difference of its ratings; the wrong
  order costs all of it, equal scores half. The sum over all reviewers is divided by that of all
  weights: 0 is perfect, 0.5 is chance, 1 is the reverse.
- `easy`: the share of pairs in the right order among those of one paper rated at least 4 and one
  at most 2; `hard`: among those of two papers rated at least 4. Equal scores are not right.

A rated paper without a score counts as tied with every other: guessing cannot be cheaper than
scoring. How many there are is told in `coverage`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError

Scores: TypeAlias = Mapping[str, Mapping[str, float]]
"""A number for pairs of reviewer and paper: a rating, or a prediction."""

EXPERT, NOVICE = 4, 2
"""Ratings from which, and down to which, a reviewer is an expert and a novice."""

RESAMPLES = 2_000
LEVEL = 0.95
_BLOCK = 4_000_000  # numbers drawn at a time: bounds the memory


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure and its 95 % interval; all None where no pair of papers could be judged."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what was rated has a score, in reviewers and in ratings."""

    reviewers: int
    reviewers_scored: int
    ratings: int
    ratings_scored: int


@dataclass(frozen=True, slots=True)
class Expertise:
    """The three measures; see the module."""

    loss: Estimate
    easy: Estimate
    hard: Estimate
    coverage: Coverage

    def to_json(self) -> dict[str, Any]:
        """As nested dicts: `loss`, `easy`, `hard`, each of value, low, high; and `coverage`."""
        return asdict(self)


def evaluate_expertise(ratings: Scores, predictions: Scores, *, seed: int = 0) -> Expertise:
    """Measure predictions on ratings (1 to 5); intervals by percentile bootstrap over reviewers.

    Raises InputError where no reviewer rated two papers differently.
    """
    tallies = np.array([tally(own, predictions.get(who, {})) for who, own in ratings.items()])
    if not len(tallies) or not tallies[:, 1].any():
        raise InputError(
            "no reviewer rated two papers differently, so there is no order to judge",
            "check the columns Paper1, Expertise1, ... of the evaluations",
        )
    loss, easy, hard = (_ratio(tallies[:, [i, i + 1]], seed) for i in (0, 2, 4))
    scored = [len(own.keys() & predictions.get(who, {}).keys()) for who, own in ratings.items()]
    rated = sum(map(len, ratings.values()))
    coverage = Coverage(len(ratings), int(np.count_nonzero(scored)), rated, sum(scored))
    return Expertise(loss, easy, hard, coverage)


def compare_losses(
    ratings: Scores, predictions: Scores, others: Scores, *, seed: int = 0
) -> Estimate:
    """By how much the loss of `predictions` exceeds that of `others`: a paired bootstrap."""
    pairs = [
        (*tally(own, predictions.get(who, {}))[:2], tally(own, others.get(who, {}))[0])
        for who, own in ratings.items()
    ]
    lost, weight, other = np.array(pairs).T
    return _ratio(np.stack([lost - other, weight], axis=1), seed)


def weighted_kendall_loss(ratings: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """The loss of one reviewer; both of shape (papers,), a score that is missing is NaN.

    NaN where all ratings are equal.
    """
    lost, weight, *_ = _tally(ratings, scores)
    return lost / weight if weight else float("nan")


def tally(ratings: Mapping[str, float], predicted: Mapping[str, float]) -> tuple[float, ...]:
    """What one reviewer adds: lost and total weight, right and all easy, right and all hard."""
    scores = [predicted.get(paper, float("nan")) for paper in ratings]
    return _tally(np.array([*ratings.values()], dtype=float), np.array(scores, dtype=float))


def _tally(ratings: NDArray[np.float64], scores: NDArray[np.float64]) -> tuple[float, ...]:
    first, second = np.triu_indices(len(ratings), 1)
    one, other = ratings[first], ratings[second]
    weights = np.abs(one - other)
    # Signs, not products: those of tiny differences would be zero. A missing score is a tie.
    agreement = np.nan_to_num(np.sign(scores[first] - scores[second]) * np.sign(one - other))
    least, most = np.minimum(one, other), np.maximum(one, other)
    easy = (most >= EXPERT) & (least <= NOVICE)
    hard = (least >= EXPERT) & (weights > 0)
    counts = [np.count_nonzero(c) for c in (easy & (agreement > 0), easy)]
    counts += [np.count_nonzero(c) for c in (hard & (agreement > 0), hard)]
    return float(weights @ (1 - agreement) / 2), float(weights.sum()), *map(float, counts)


def _ratio(sums: NDArray[np.float64], seed: int) -> Estimate:
    """The ratio of the sums of both columns over reviewers (n, 2), and its interval."""
    part, whole = sums.sum(axis=0)
    if not whole:
        return Estimate(None, None, None)
    draws, size = np.random.default_rng(seed), len(sums)
    block = max(1, _BLOCK // size)
    resampled = np.concatenate(
        [
            draws.multinomial(size, [1 / size] * size, min(block, RESAMPLES - start)) @ sums
            for start in range(0, RESAMPLES, block)
        ]
    )
    resampled = resampled[resampled[:, 1] > 0]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled[:, 0] / resampled[:, 1], [tail, 1 - tail])
    return Estimate(float(part / whole), float(low), float(high))
