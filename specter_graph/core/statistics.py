"""Percentile bootstrap over queries (Efron 1979): how far a figure depends on which were asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError

RESAMPLES = 2_000
LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)

_BLOCK = 4_000_000  # numbers drawn at a time: bounds the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure over queries and its 95 % interval."""

    value: float
    low: float
    high: float

    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def intervals(values: NDArray[np.float64], *, seed: int) -> list[Interval]:
    """The mean of each column and its interval; `values` has shape (queries, columns).

    All columns are resampled together, and the same seed and number of queries give the same
    resamples: the interval of the column a - b is the paired bootstrap of the difference.

    Raises InputError when there are no queries.
    """
    if not len(values):
        raise InputError("there are no queries to resample")
    means = np.concatenate(list(_resampled_means(values, np.random.default_rng(seed))))
    low, high = np.quantile(means, _TAILS, axis=0)
    return [
        Interval(float(value), float(least), float(most))
        for value, least, most in zip(values.mean(axis=0), low, high, strict=True)
    ]


def interval(
    figure: Callable[[NDArray[np.int64] | None], float], items: int, *, seed: int
) -> Interval:
    """Any figure of so many items, computed anew on each resample of their positions."""
    generator = np.random.default_rng(seed)
    drawn = [figure(generator.integers(items, size=items)) for _ in range(RESAMPLES)]
    low, high = np.quantile(drawn, _TAILS)
    return Interval(figure(None), float(low), float(high))


def _resampled_means(
    values: NDArray[np.float64], generator: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    queries, columns = values.shape
    block = max(1, _BLOCK // (queries * max(1, columns)))
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        chosen = generator.integers(queries, size=(size, queries))
        yield values[chosen].mean(axis=1)
