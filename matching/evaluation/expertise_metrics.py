"""Metrics of scores on expertise that reviewers have rated.

Source: Stelmakh, Wieting, Xi, Neubig, Shah, "A Gold Standard Dataset for the Reviewer Assignment
Problem" (2023), section 4. All metrics compare pairs of papers that one reviewer rated differently:

- `loss`: weighted Kendall tau. The weight of a pair is the difference of its ratings. A pair in the
  wrong order costs its weight, a pair with equal scores half of it. The sum over all reviewers is
  divided by the sum of all weights: 0 is perfect, 0.5 is chance, 1 is the reverse order.
- `easy`: share of pairs in the right order, among pairs of a paper rated at least 4 and a paper
  rated at most 2.
- `hard`: the same share among pairs of two papers rated at least 4. Equal scores are not right.

A rated paper without a score counts as equal to every other paper, so that leaving a score out
never pays. `coverage` counts the scores that are missing.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.statistics import Interval, bootstrap_interval

Scores: TypeAlias = Mapping[str, Mapping[str, float]]
"""Ratings or predictions: reviewer, then paper, to a number."""

EXPERT, NOVICE = 4, 2
"""Lowest rating of an expert and highest rating of a novice."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of rated reviewers and ratings, and how many of them have a score."""

    reviewers: int
    reviewers_scored: int
    ratings: int
    ratings_scored: int


@dataclass(frozen=True, slots=True)
class ExpertiseResult:
    """The three metrics with 95 % intervals; None for a metric without any pair of papers."""

    loss: Interval | None
    easy: Interval | None
    hard: Interval | None
    coverage: Coverage

    def to_json(self) -> dict[str, Any]:
        """Return nested dicts: `loss`, `easy`, `hard` with value, low, high; and `coverage`."""
        return asdict(self)


def evaluate_expertise(ratings: Scores, predictions: Scores, *, seed: int = 0) -> ExpertiseResult:
    """Evaluate predictions on ratings.

    Args:
        ratings: Ratings from 1 to 5.
        predictions: Scores on any scale.
        seed: Seed of the bootstrap over reviewers.

    Returns:
        The metrics with percentile bootstrap intervals.

    Raises:
        InputError: No reviewer rated two papers differently.
    """
    sums = np.array([order_sums(own, predictions.get(who, {})) for who, own in ratings.items()])
    if not len(sums) or not sums[:, 1].any():
        raise InputError(
            "no reviewer rated two papers differently, so no order can be evaluated",
            "check the columns Paper1, Expertise1, ... of the evaluations",
        )
    scored = [len(own.keys() & predictions.get(who, {}).keys()) for who, own in ratings.items()]
    rated = sum(map(len, ratings.values()))
    coverage = Coverage(len(ratings), int(np.count_nonzero(scored)), rated, sum(scored))
    loss, easy, hard = (_ratio(sums[:, [i, i + 1]], seed) for i in (0, 2, 4))
    return ExpertiseResult(loss, easy, hard, coverage)


def order_sums(ratings: Mapping[str, float], predicted: Mapping[str, float]) -> tuple[float, ...]:
    """Return lost and total weight, right and all easy pairs, right and all hard pairs."""
    rated = np.array([*ratings.values()], float)
    scores = np.array([predicted.get(paper, np.nan) for paper in ratings], float)
    first, second = np.triu_indices(len(rated), 1)
    one, other = rated[first], rated[second]
    weights = np.abs(one - other)
    # The product of signs, because the product of tiny differences would be zero.
    agreement = np.nan_to_num(np.sign(scores[first] - scores[second]) * np.sign(one - other))
    low, high = np.minimum(one, other), np.maximum(one, other)
    easy = (high >= EXPERT) & (low <= NOVICE)
    hard = (low >= EXPERT) & (weights > 0)
    right = agreement > 0
    counts = [np.count_nonzero(pairs) for pairs in (easy & right, easy, hard & right, hard)]
    return float(weights @ (1 - agreement) / 2), float(weights.sum()), *map(float, counts)


def _ratio(sums: NDArray[np.float64], seed: int) -> Interval | None:
    """Return the ratio of the column sums of (reviewers, 2), None if the second sum is 0."""

    def ratio(reviewers: NDArray[np.int64]) -> float:
        part, total = sums[reviewers].sum(axis=0)
        return float(part / total) if total else float("nan")

    return bootstrap_interval(ratio, len(sums), seed=seed) if sums[:, 1].any() else None
