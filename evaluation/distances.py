"""Exact distances from queries to all candidates, block by block."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Distance: TypeAlias = Literal["squared_l2", "cosine", "dot"]
"""|u - v|^2, 1 - cos(u, v), or -u . v: always the lower the nearer."""

DISTANCES: tuple[Distance, ...] = get_args(Distance)

_BLOCK = 32_000_000  # distances held at a time: 128 MB
_CANDIDATES = 8_192  # candidates converted to float64 at a time


def distances(
    queries: NDArray[np.floating],
    candidates: NDArray[np.floating],
    kind: Distance = "squared_l2",
) -> Iterator[NDArray[np.float32]]:
    """Yield float32 blocks (some queries, all candidates), in the order of the queries.

    `queries` and `candidates` have shapes (q, d) and (n, d). The products are made in float64, so
    that equal vectors come out at equal distances whatever their place in a block: ties are real.
    The cosine with a vector of zeros is 0.
    """
    block = max(1, _BLOCK // max(1, len(candidates)))
    for start in range(0, len(queries), block):
        some = _prepared(queries[start : start + block], kind)
        found = np.empty((len(some), len(candidates)), dtype=np.float32)
        for first in range(0, len(candidates), _CANDIDATES):
            part = _prepared(candidates[first : first + _CANDIDATES], kind)
            found[:, first : first + _CANDIDATES] = _apart(some, part, kind)
        yield found


def exact_ranks(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    candidates: NDArray[np.int64],
    relevant: Sequence[NDArray[np.int64]],
) -> Iterator[NDArray[np.int64]]:
    """Yield for each query the ranks, from 1, of its relevant candidates by squared L2 distance.

    The candidates are the rows `candidates` of `vectors` (n, d), in ascending order of their ids;
    `relevant` holds positions in `candidates` for each of the (q, d) queries. The ranks are those
    of `metrics.ranks_of` over the distances of `among`. All distances are computed in float32;
    those too near to that of a relevant paper for its precision are computed again.
    """
    lengths = np.empty(len(vectors), np.float64)
    for start in range(0, len(vectors), _CANDIDATES):
        part = vectors[start : start + _CANDIDATES].astype(np.float64)
        lengths[start : start + _CANDIDATES] = _squares(part)
    squares, longest = lengths.astype(np.float32), float(np.sqrt(lengths.max(initial=0)))
    block = max(1, _BLOCK // max(1, len(vectors)))
    for start in range(0, len(queries), block):
        some = queries[start : start + block]
        table = some @ vectors.T
        table *= -2
        table += squares
        for query, row, places in zip(
            some, table[:, candidates], relevant[start : start + block], strict=True
        ):
            length = float(np.linalg.norm(query.astype(np.float64)))
            slack = _slack(len(query), length, longest)
            exact = among(query, vectors[candidates[places]])
            yield np.array(
                [
                    _rank(query, vectors, candidates, row, place, distance, length, slack)
                    for place, distance in zip(places, exact, strict=True)
                ],
                np.int64,
            )


def among(query: NDArray[np.float32], some: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared L2 distances of a query (d,) to some vectors (n, d), by way of float64."""
    differences = some.astype(np.float64) - query
    return _squares(differences).astype(np.float32)


def _slack(dimension: int, length: float, longest: float) -> float:
    """Bound the error of a distance in float32 (Higham, Accuracy and Stability, section 3.1)."""
    unit = float(np.finfo(np.float32).eps) / 2
    return unit * (2 * (dimension + 3) * length * longest + 4 * (length + longest) ** 2)


def _rank(
    query: NDArray[np.float32],
    vectors: NDArray[np.float32],
    candidates: NDArray[np.int64],
    row: NDArray[np.float32],
    place: int,
    distance: float,
    length: float,
    slack: float,
) -> int:
    """Rank one candidate; `row` is of all candidates, without the square of the query's length."""
    at = float(distance) - length**2
    nearer = row < at - slack
    unsure = np.flatnonzero((row <= at + slack) & ~nearer)
    exact = among(query, vectors[candidates[unsure]])
    tied = (exact == distance) & (unsure > place)
    return 1 + int(np.count_nonzero(nearer) + (exact < distance).sum() + tied.sum())


def nearest(
    queries: NDArray[np.floating],
    candidates: NDArray[np.floating],
    k: int,
    kind: Distance = "squared_l2",
) -> Iterator[NDArray[np.int64]]:
    """Yield for blocks of queries the positions of the k nearest candidates, nearest first.

    Each block is (some queries, k), or as many columns as there are candidates. Which of several
    equally near ones is among the k is not said.
    """
    k = min(k, len(candidates))
    for block in distances(queries, candidates, kind):
        found = np.argpartition(block, k - 1, axis=1)[:, :k]
        order = np.argsort(np.take_along_axis(block, found, axis=1), axis=1, kind="stable")
        yield np.take_along_axis(found, order, axis=1)


def _prepared(vectors: NDArray[np.floating], kind: Distance) -> NDArray[np.float64]:
    prepared = vectors.astype(np.float64)
    if kind == "cosine":
        lengths = np.linalg.norm(prepared, axis=1, keepdims=True)
        np.divide(prepared, lengths, out=prepared, where=lengths > 0)
    return prepared


def _apart(
    some: NDArray[np.float64], part: NDArray[np.float64], kind: Distance
) -> NDArray[np.float64]:
    products = some @ part.T
    if kind == "dot":
        return -products
    if kind == "cosine":
        return 1 - products
    # In place: a block of float64 is the largest thing here.
    products *= -2
    products += _squares(some)[:, None]
    products += _squares(part)
    return np.maximum(products, 0, out=products)


def _squares(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", vectors, vectors)
    return squares
