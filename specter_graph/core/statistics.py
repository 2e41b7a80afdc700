"""Bootstrap intervals and significance tests.

Intervals are percentile bootstraps (Efron 1979). Their resamples depend only on a seed and the
number of items. Two figures of the same items therefore share their resamples, and the interval of
their difference is a paired bootstrap. If a system is several models of different random seeds,
items and seeds are resampled independently (Owen 2007, "The pigeonhole bootstrap"), so the interval
includes the variance between seeds.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError

Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 2_000
LEVEL = 0.95
ROUNDS = 10_000
"""Maximum number of exchanges of the randomization test."""

_BOUNDS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_BLOCK = 4_000_000  # numbers resampled at a time: bounds the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def excludes_zero(self) -> bool:
        """Return True if the interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def bootstrap_means(values: Floats, minus: Floats | None = None, *, seed: int) -> list[Interval]:
    """Return the mean of each column with its interval.

    Args:
        values: (items, columns), or (seeds, items, columns) for the random seeds of one system.
            Columns are resampled together.
        minus: Values of another system on the same items: the differences of the means are
            returned.
        seed: Seed of the resamples.

    Raises:
        InputError: There are no items.
    """
    systems = [
        scores if scores.ndim == 3 else scores[None]
        for scores in (values, minus)
        if scores is not None
    ]
    items = systems[0].shape[1]
    _require_items(items)
    observed = _difference([system.mean(axis=(0, 1)) for system in systems])
    generator = np.random.default_rng(seed)
    drawn_seeds = [
        _draw_counts(np.random.default_rng((seed, place)), RESAMPLES, len(each)) / len(each)
        for place, each in enumerate(systems)
    ]
    resampled = []
    for rows in np.array_split(np.arange(RESAMPLES), 1 + RESAMPLES * items // _BLOCK):
        counts = _draw_counts(generator, len(rows), items)
        means = [
            np.einsum("rs,src->rc", seeds[rows], counts @ each) / items
            for seeds, each in zip(drawn_seeds, systems, strict=True)
        ]
        resampled.append(_difference(means))
    low, high = np.quantile(np.concatenate(resampled), _BOUNDS, axis=0)
    return [Interval(*map(float, row)) for row in zip(observed, low, high, strict=True)]


def _draw_counts(generator: np.random.Generator, resamples: int, size: int) -> Floats:
    """Draw positions with replacement; return how often each occurs, (resamples, size)."""
    drawn = generator.integers(size, size=(resamples, size)) + size * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * size)
    return counts.reshape(resamples, size).astype(np.float64)


def _difference(means: Sequence[Floats]) -> Floats:
    return means[0] if len(means) == 1 else means[0] - means[1]


def bootstrap_interval(
    figure: Callable[..., float], items: int, *seeds: int, seed: int
) -> Interval:
    """Return any figure of items with its interval.

    Args:
        figure: Computes the figure from the positions of items, and the positions of the seeds of
            each system; positions may repeat. NaN excludes a resample.
        items: Number of items.
        *seeds: Number of random seeds of each system.
        seed: Seed of the resamples.

    Raises:
        InputError: There are no items.
    """
    _require_items(items)
    sizes = (items, *seeds)
    generators = [
        np.random.default_rng(seed),
        *(np.random.default_rng((seed, place)) for place in range(len(seeds))),
    ]
    resampled = [
        figure(*(g.integers(size, size=size) for g, size in zip(generators, sizes, strict=True)))
        for _ in range(RESAMPLES)
    ]
    low, high = np.nanquantile(resampled, _BOUNDS)
    return Interval(float(figure(*map(np.arange, sizes))), float(low), float(high))


def _require_items(items: int) -> None:
    if not items:
        raise InputError("there are no items to resample")


def randomization_test(one: Floats, other: Floats, *, seed: int = 0, rounds: int = ROUNDS) -> float:
    """Return the two-sided p-value of the paired randomization test (Smucker et al. 2007).

    If two systems were the same, all exchanges of their results would be equally likely. p is the
    share of exchanges with a difference of the means at least as large as the observed one: of all
    exchanges if there are at most `rounds`, else (1 + count) / (1 + rounds) of `rounds` random
    ones.

    Args:
        one: The values of a system, (items,).
        other: The values of another system on the same items, (items,).
        seed: Seed of the random exchanges.
        rounds: Maximum number of exchanges.
    """
    from scipy.stats import permutation_test

    if len(one) < 2:
        return 1.0  # exchanging all is exchanging none
    result = permutation_test(
        (one, other),
        lambda first, second: abs(first.mean() - second.mean()),
        permutation_type="samples", alternative="greater", vectorized=False,
        n_resamples=rounds, batch=max(1, _BLOCK // (8 * len(one))), rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(result.pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Correct p-values of several tests by Holm's step-down method (1979).

    Each value is multiplied by the number of values that are not smaller; the results are made
    non-decreasing.
    """
    order = np.argsort(p, kind="stable")
    stepped = np.sort(p) * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return [float(value) for value in corrected]


def sign_test(wins: int, losses: int) -> tuple[Interval, float] | None:
    """Return the share of wins with its exact interval, and the p-value of the two-sided sign test.

    The interval is by Clopper and Pearson (1934). Returns None without wins and losses.
    """
    from scipy.stats import binomtest

    if not wins + losses:
        return None
    result = binomtest(wins, wins + losses)
    bounds = result.proportion_ci(LEVEL, method="exact")
    share = Interval(wins / (wins + losses), float(bounds.low), float(bounds.high))
    return share, float(result.pvalue)


def recall_p_value(labels: Sequence[bool], size: int, recall: float) -> float:
    """Return the p-value of the hypothesis that the recall of a screening is below a target.

    This is the stopping rule of M. W. Callaghan and F. Müller-Hansen, "Statistical stopping
    criteria for automated screening in systematic reviews", Systematic Reviews 9:273, 2020, in its
    form for ranked items: the last n labeled items count as a random sample of those that had no
    label before them, for each n, and the smallest p-value counts. If the ranking puts
    relevant items first, the true p-value of a sample is rather smaller; choosing the smallest of
    many makes it rather larger.

    Args:
        labels: True for each relevant item, in the order of labeling.
        size: Number of all items, with or without a label.
        recall: The target.
    """
    relevant = sum(labels)
    return _missed_p_value(labels, size, floor(relevant / recall - relevant) + 1)


def recall_bound(labels: Sequence[bool], size: int) -> float:
    """Return the lower bound of the recall of a screening, by the tests of `recall_p_value`.

    Its confidence of 95 % is nominal. In random order, 85 to 91 % of the bounds are not above the
    recall; if the ranking puts relevant items last, the bound can be too high.

    Args:
        labels: True for each relevant item, in the order of labeling; at least one.
        size: Number of all items, with or without a label.
    """
    missed = bisect_left(
        range(size - len(labels)),
        True,
        key=lambda each: _missed_p_value(labels, size, each + 1) < 1 - LEVEL,
    )
    return sum(labels) / (sum(labels) + missed)


def _missed_p_value(labels: Sequence[bool], size: int, missed: int) -> float:
    """Return the p-value of the hypothesis that this number of relevant items has no label."""
    from scipy.stats import hypergeom

    if not labels:
        return 1.0
    if missed > size - len(labels):
        return 0.0
    sample = np.arange(1, len(labels) + 1)
    relevant = np.cumsum(labels[::-1])
    before = size - len(labels) + sample
    return float(hypergeom.cdf(relevant, before, relevant + missed, sample).min())
