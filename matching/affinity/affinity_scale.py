"""The scale of the affinities of a venue: the share of its pairs that have less."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specter_graph.core.vectors import Vectors

EXAMPLES = (0.3, 0.5, 0.7)
"""Affinities that pages explain."""


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
