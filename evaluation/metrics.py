"""Ranking metrics with binary gains, all computed from the ranks of the relevant papers.

A ranking is by distance, nearest first. Papers at the same distance are ordered by id, the greater
id first, as trec_eval does. `average_precision`, `ndcg`, `ndcg_at`, `precision_at`, `recall_at` and
`reciprocal_rank` are trec_eval's `map`, `ndcg`, `ndcg_cut.K`, `P.K`, `recall.K` and `recip_rank`.

They take many queries at once: `ranks`, an integer array of shape (queries, most relevant papers
of any query) with the ranks, from 1, of a query's relevant papers in any order, filled up with
zeros; `pad` makes it. A query without relevant papers has no value: `pad` refuses it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ranks_of(distances: NDArray[np.float32], relevant: NDArray[np.integer]) -> Ints:
    """The ranks, from 1, of the relevant papers among all that `distances` covers.

    `distances` has shape (papers,), the papers in ascending order of their ids; `relevant` holds
    positions in it. Returns an array of the shape of `relevant`.
    """
    return np.array(
        [
            # Itself counts as one; of those as near, the ones of a greater id come before it.
            np.count_nonzero(distances[:place] < distances[place])
            + np.count_nonzero(distances[place:] <= distances[place])
            for place in relevant
        ],
        dtype=np.int64,
    )


def pad(ranks: Sequence[Ints]) -> Ints:
    """Ranks of each query's relevant papers as one array, filled up with zeros.

    Raises InputError for a query that has no relevant paper.
    """
    sizes = np.array([len(row) for row in ranks], dtype=np.int64)
    if not sizes.all():
        raise InputError("a query without relevant papers cannot be scored")
    padded = np.zeros((len(ranks), sizes.max(initial=0)), dtype=np.int64)
    padded[np.arange(padded.shape[1]) < sizes[:, None]] = np.concatenate([np.empty(0, int), *ranks])
    return padded


def average_precision(ranks: Ints) -> Floats:
    """Mean over the relevant papers of the precision at their ranks; shape (queries,)."""
    ordered = np.sort(_far_when_absent(ranks), axis=1)
    found = np.arange(1, ranks.shape[1] + 1)
    precision: Floats = (found / ordered).sum(axis=1) / _relevant(ranks)
    return precision


def ndcg(ranks: Ints) -> Floats:
    """Gains discounted by log2(rank + 1), over those of the best ranking; shape (queries,)."""
    gained = (1.0 / np.log2(_far_when_absent(ranks) + 1)).sum(axis=1)
    best = np.cumsum(1.0 / np.log2(np.arange(ranks.shape[1]) + 2))
    share: Floats = gained / best[_relevant(ranks) - 1]
    return share


def ndcg_at(ranks: Ints, k: int) -> Floats:
    """As `ndcg`, of the nearest k alone; shape (queries,)."""
    near = np.where(ranks <= k, ranks, 0)
    gained = (1.0 / np.log2(_far_when_absent(near) + 1)).sum(axis=1)
    best = np.cumsum(1.0 / np.log2(np.arange(k) + 2))
    share: Floats = gained / best[np.minimum(_relevant(ranks), k) - 1]
    return share


def precision_at(ranks: Ints, k: int) -> Floats:
    """Share of the nearest k that are relevant; shape (queries,)."""
    share: Floats = np.count_nonzero(_far_when_absent(ranks) <= k, axis=1) / k
    return share


def recall_at(ranks: Ints, k: int) -> Floats:
    """Share of the relevant papers among the nearest k; shape (queries,)."""
    share: Floats = np.count_nonzero(_far_when_absent(ranks) <= k, axis=1) / _relevant(ranks)
    return share


def reciprocal_rank(ranks: Ints) -> Floats:
    """One over the rank of the first relevant paper; shape (queries,)."""
    reciprocal: Floats = 1.0 / _far_when_absent(ranks).min(axis=1, initial=np.inf)
    return reciprocal


def _relevant(ranks: Ints) -> Ints:
    relevant: Ints = np.count_nonzero(ranks, axis=1)
    return relevant


def _far_when_absent(ranks: Ints) -> Floats:
    return np.where(ranks > 0, ranks, np.inf)
