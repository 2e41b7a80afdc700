"""Bootstrap intervals and significance tests, on scipy.stats.

Intervals are percentile bootstraps (Efron 1979). Their resamples depend only on a seed and the
number of items. Two figures of the same items therefore share their resamples, and the interval of
their difference is a paired bootstrap.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError

RESAMPLES = 2_000
LEVEL = 0.95
ROUNDS = 10_000
"""Maximum number of exchanges of the randomization test."""

_BLOCK = 4_000_000  # numbers resampled at a time: bounds the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def excludes_zero(self) -> bool:
        """Return whether the interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def bootstrap_means(values: NDArray[np.float64], *, seed: int) -> list[Interval]:
    """Return the mean of each column with its interval.

    Args:
        values: (items, columns); all columns are resampled together.
        seed: Seed of the resamples.

    Raises:
        InputError: There are no items.
    """
    from scipy.stats import bootstrap

    means = values.mean(axis=0) if len(values) else []
    if len(values) < 2:
        return _single(means)
    batch = max(1, _BLOCK // max(1, values.size))
    bounds = bootstrap(
        (values,), np.mean, axis=0, n_resamples=RESAMPLES, confidence_level=LEVEL, batch=batch,
        method="percentile", rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return [Interval(*map(float, row)) for row in zip(means, bounds.low, bounds.high, strict=True)]


def bootstrap_interval(
    figure: Callable[[NDArray[np.int64]], float], items: int, *, seed: int
) -> Interval:
    """Return any figure of items with its interval.

    Args:
        figure: Computes the figure from the positions of items, which may repeat. NaN excludes a
            resample.
        items: Number of items.
        seed: Seed of the resamples.

    Raises:
        InputError: There are no items.
    """
    from scipy.stats import DegenerateDataWarning, bootstrap

    every = np.arange(items)
    if items < 2:
        return _single([figure(every)] if items else [])[0]
    with warnings.catch_warnings(action="ignore", category=DegenerateDataWarning):  # of NaN
        resampled = bootstrap(
            (every,), figure, vectorized=False, n_resamples=RESAMPLES, method="percentile",
            rng=np.random.default_rng(seed),
        ).bootstrap_distribution  # fmt: skip
    low, high = np.nanquantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(figure(every)), float(low), float(high))


def _single(figures: Sequence[float]) -> list[Interval]:
    """Return the figures of one item, whose resamples are all equal."""
    if not len(figures):
        raise InputError("there are no items to resample")
    return [Interval(*3 * [float(figure)]) for figure in figures]


def randomization_test(
    difference: Callable[[NDArray[np.bool_]], float],
    items: int,
    *,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> float:
    """Return the two-sided p value of the paired randomization test (Smucker et al. 2007).

    If two systems were the same, all exchanges of their results would be equally likely. p is the
    share of exchanges with a difference at least as large as the observed one: of all exchanges if
    there are at most `rounds`, else (1 + count) / (1 + rounds) of `rounds` random ones.

    Args:
        difference: Computes the difference of the systems after exchanging the items of a mask of
            shape (items,).
        items: Number of items.
        seed: Seed of the random exchanges.
        rounds: Number of random exchanges.
    """
    from scipy.stats import permutation_test

    if items < 2:
        return 1.0  # exchanging all is exchanging none
    result = permutation_test(
        (np.zeros(items), np.ones(items)),
        lambda system, _: abs(difference(system > 0)),
        permutation_type="samples", alternative="greater", vectorized=False,
        n_resamples=rounds, batch=max(1, _BLOCK // (8 * items)), rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(result.pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Correct p values of several tests by Holm's step-down method (1979).

    Each value is multiplied by the number of values that are not smaller; the results are made
    non-decreasing.
    """
    order = np.argsort(p, kind="stable")
    stepped = np.sort(p) * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return [float(value) for value in corrected]


def sign_test(wins: int, losses: int) -> tuple[Interval, float] | None:
    """Return the share of wins with its exact interval, and the p value of the two-sided sign test.

    The interval is by Clopper and Pearson (1934). Returns None without wins and losses.
    """
    from scipy.stats import binomtest

    if not wins + losses:
        return None
    result = binomtest(wins, wins + losses)
    bounds = result.proportion_ci(LEVEL, method="exact")
    share = Interval(wins / (wins + losses), float(bounds.low), float(bounds.high))
    return share, float(result.pvalue)
