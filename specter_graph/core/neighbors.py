"""The nearest vectors, exactly, in blocks."""

import numpy as np
from numpy.typing import NDArray

_BLOCK = 8_192


def nearest(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    k: int,
    own: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The k nearest of (n, d) vectors to each of (q, d) queries: rows and squared L2 distances.

    Both (q, k), or narrower where there are fewer vectors; the nearest first, of those as near the
    lower row. `own` (q,) are the rows that the queries themselves have, which are left out.

    The vectors are gone through in blocks, keeping the k best so far: memory grows with q, not with
    q x n. A distance, not negative, and its row are compared as one integer: the bits of a float32
    that is not negative are in its order.
    """
    squares = np.einsum("ij,ij->i", queries, queries)
    best = np.empty((len(queries), 0), np.int64)
    k = max(0, min(k, len(vectors) - (own is not None)))
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        table = queries @ block.T
        table *= -2
        table += squares[:, None]
        table += np.einsum("ij,ij->i", block, block)
        np.maximum(table, 0, out=table)
        table += 0.0  # no negative zero, which is the least of integers
        if own is not None:
            here = np.flatnonzero((own >= start) & (own < start + len(block)))
            table[here, own[here] - start] = np.inf
        found = table.view(np.int32).astype(np.int64) << 32
        found |= np.arange(start, start + len(block))
        best = np.hstack([best, found])
        if k < best.shape[1]:
            best = np.partition(best, max(0, k - 1), axis=1)[:, :k]
    best.sort(axis=1)
    distances = (best >> 32).astype(np.int32).view(np.float32)
    return best & 0xFFFFFFFF, distances
