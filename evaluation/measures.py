"""A figure that is computed from items: queries, papers or clicks.

Every figure keeps its items, so that they can be resampled, and exchanged with another system's:
see `evaluation.significance`.
"""

from dataclasses import dataclass
from math import lcm
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Measure(Protocol):
    """A figure of one system on one task, in 0..1."""

    def __len__(self) -> int:
        """How many items there are."""

    def value(self, items: Ints | None = None) -> float:
        """The figure on all items, or on those at these positions, which may repeat."""

    def exchanged(self, other: Self, mask: Mask) -> Self:
        """The figure with the items that `mask` (items,) marks taken from `other`."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items, weighted where there are weights: sum(w v) / sum(w).

    `values` and `weights` are (items,) float64.
    """

    values: Floats
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)

    def value(self, items: Ints | None = None) -> float:
        """The mean; see `Measure`."""
        values = self.values if items is None else self.values[items]
        if self.weights is None:
            return float(values.mean())
        weights = self.weights if items is None else self.weights[items]
        return float(values @ weights / weights.sum())

    def exchanged(self, other: Self, mask: Mask) -> "Mean":
        """The mean with the marked values of `other`; weights belong to the items, and stay."""
        return Mean(np.where(mask, other.values, self.values), self.weights)


@dataclass(frozen=True, slots=True)
class MacroF1:
    """The F1 of each class, 2 TP / (2 TP + FP + FN), averaged over the classes.

    `truth` and `predicted` are (items,) int64, numbers of classes. As in scikit-learn, the classes
    are those that are true or predicted of some item.
    """

    truth: Ints
    predicted: Ints

    def __len__(self) -> int:
        return len(self.truth)

    def value(self, items: Ints | None = None) -> float:
        """The macro-averaged F1; see `Measure`."""
        truth = self.truth if items is None else self.truth[items]
        predicted = self.predicted if items is None else self.predicted[items]
        classes = int(max(truth.max(), predicted.max())) + 1
        right = np.bincount(truth[truth == predicted], minlength=classes)
        either = np.bincount(truth, minlength=classes) + np.bincount(predicted, minlength=classes)
        there = either > 0
        return float(np.mean(2 * right[there] / either[there]))

    def exchanged(self, other: Self, mask: Mask) -> "MacroF1":
        """The F1 with the marked predictions of `other`."""
        return MacroF1(self.truth, np.where(mask, other.predicted, self.predicted))


@dataclass(frozen=True, slots=True)
class SeedMean:
    """The mean of one figure over systems that differ in their seeds alone, of the same items."""

    seeds: tuple[Measure, ...]

    def __len__(self) -> int:
        return len(self.seeds[0])

    def value(self, items: Ints | None = None) -> float:
        """The mean over the seeds; see `Measure`."""
        return sum(each.value(items) for each in self.seeds) / len(self.seeds)

    def exchanged(self, other: "SeedMean", mask: Mask) -> "SeedMean":
        """Each seed with the marked items of a seed of `other`."""
        pairs = zip(self.seeds, other.seeds, strict=True)
        return SeedMean(tuple(one.exchanged(another, mask) for one, another in pairs))


def in_step(one: Measure, other: Measure) -> tuple[Measure, Measure]:
    """Both as means of equally many seeds, each repeated as often as is needed, to be exchanged."""
    if not isinstance(one, SeedMean) and not isinstance(other, SeedMean):
        return one, other
    seeds, others = (each.seeds if isinstance(each, SeedMean) else (each,) for each in (one, other))
    many = lcm(len(seeds), len(others))
    return SeedMean(seeds * (many // len(seeds))), SeedMean(others * (many // len(others)))
