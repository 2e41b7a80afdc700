"""Vectors as float32 rows: unit length, exact nearest neighbors, prefixes."""

import zlib
from collections.abc import Sequence
from tokenize import TokenError
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from specter_graph.core.progress import Progress, silent

Vectors: TypeAlias = npt.NDArray[np.float32]
Inputs: TypeAlias = npt.NDArray[np.float16] | npt.NDArray[np.float32]

ARRAY_ERRORS = (
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    BadZipFile,
    TokenError,
    zlib.error,
)
"""Errors of `numpy.load` for a damaged .npy or .npz file."""

MAX_SHOWN = 8
"""Maximum length of a list of floats that is shown; a longer one is a vector."""
_BLOCK = 8_192
_QUERIES = 1_000  # compared at a time


def unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Scale rows to length 1; rows of zeros are unchanged."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), np.float32)


def nearest(
    queries: Vectors,
    vectors: Vectors,
    k: int,
    own: npt.NDArray[np.int64] | None = None,
    progress: Progress = silent,
) -> tuple[npt.NDArray[np.int64], Vectors]:
    """Return the k nearest vectors of each query by Euclidean distance, exactly.

    Args:
        queries: (q, d).
        vectors: (n, d).
        k: Number of neighbors.
        own: (q,) rows of the queries in `vectors`; a query is not its own neighbor.
        progress: Called with the number of queries.

    Returns:
        Rows of `vectors` and squared L2 distances, both (q, k) or narrower if there are fewer
        vectors. The nearest vector comes first; equal distances are ordered by row.
    """
    k = max(0, min(k, len(vectors) - (own is not None)))
    rows = np.empty((len(queries), k), np.int64)
    distances = np.empty((len(queries), k), np.float32)
    for start in range(0, len(queries), _QUERIES):
        part = slice(start, start + _QUERIES)
        of_part = None if own is None else own[part]
        rows[part], distances[part] = _nearest(queries[part], vectors, k, of_part)
        progress("nearest papers", min(part.stop, len(queries)), len(queries))
    return rows, distances


def _nearest(
    queries: Vectors, vectors: Vectors, k: int, own: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.int64], Vectors]:
    # Only the k best of the blocks so far are stored: memory grows with q, not with q x n. Distance
    # and row are compared as one integer: the bits of non-negative float32 numbers sort like them.
    squares = np.einsum("ij,ij->i", queries, queries)
    best = np.empty((len(queries), 0), np.int64)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        table = queries @ block.T
        table *= -2
        table += squares[:, None]
        table += np.einsum("ij,ij->i", block, block)
        np.maximum(table, 0, out=table)
        table += 0.0  # no negative zero, whose bits are the smallest integer
        if own is not None:
            inside = np.flatnonzero((own >= start) & (own < start + len(block)))
            table[inside, own[inside] - start] = np.inf
        keys = table.view(np.int32).astype(np.int64) << 32
        keys |= np.arange(start, start + len(block))
        best = np.hstack([best, keys])
        if k < best.shape[1]:
            best = np.partition(best, max(0, k - 1), axis=1)[:, :k]
    best.sort(axis=1)
    distances = (best >> 32).astype(np.int32).view(np.float32)
    return best & 0xFFFFFFFF, distances


def shorten_vectors(value: Any) -> Any:  # noqa: ANN401
    """Replace the vectors in a JSON value, lists of many floats, by their lengths."""
    if isinstance(value, dict):
        return {key: shorten_vectors(each) for key, each in value.items()}
    if not isinstance(value, list | tuple):
        return value
    if len(value) > MAX_SHOWN and all(isinstance(element, float) for element in value):
        return f"{len(value)} numbers"
    return [shorten_vectors(element) for element in value]


def require_prefixes(dimensions: Sequence[int], maximum: int) -> None:
    """Raise ValueError unless the dimensions differ and are between 1 and `maximum` - 1."""
    if len(set(dimensions)) < len(dimensions) or not all(0 < size < maximum for size in dimensions):
        raise ValueError(
            f"matryoshka: {list(dimensions)} are not distinct dimensions from 1 to {maximum - 1}"
        )
