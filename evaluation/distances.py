"""Exact squared Euclidean distances from queries to all candidates, block by block."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_BLOCK = 32_000_000  # distances held at a time: 128 MB
_CANDIDATES = 16_384  # candidates converted to float64 at a time


def squared_distances(
    queries: NDArray[np.float32], candidates: NDArray[np.float32]
) -> Iterator[NDArray[np.float32]]:
    """Yield float32 blocks (some queries, all candidates), in the order of the queries.

    `queries` and `candidates` have shapes (q, d) and (n, d). The products are made in float64, so
    that equal vectors come out at equal distances whatever their place in a block: ties are real.
    """
    block = max(1, _BLOCK // max(1, len(candidates)))
    for start in range(0, len(queries), block):
        some = queries[start : start + block].astype(np.float64)
        distances = np.empty((len(some), len(candidates)), dtype=np.float32)
        for first in range(0, len(candidates), _CANDIDATES):
            part = candidates[first : first + _CANDIDATES].astype(np.float64)
            squares = _squares(some)[:, None] + _squares(part) - 2 * (some @ part.T)
            distances[:, first : first + _CANDIDATES] = np.maximum(squares, 0)
        yield distances


def _squares(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", vectors, vectors)
    return squares
