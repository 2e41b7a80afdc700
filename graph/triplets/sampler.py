"""Sampling of the triplets of a batch of query papers."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from specter_graph.graph.triplets.sources.candidates import Candidates, Stream
from specter_graph.graph.triplets.triplet_files import SCHEMA

_SPARE = 3
"""Additional candidates drawn because some are related to the query."""
_PART = 1_000


class NegativePool:
    """The papers from which easy negatives are drawn.

    The sample for a query depends on the seed, the query's sample key and the set of papers, but
    not on batches or on any order.
    """

    def __init__(self, ids: Iterable[list[str]], seed: int) -> None:
        """Store the ids, given in sorted pages, as one Arrow column (20 MB per million)."""
        self._ids = pa.chunked_array([pa.array(page, pa.string()) for page in ids], pa.string())
        self._ids = self._ids.combine_chunks()
        self._key = np.random.SeedSequence([seed, Stream.EASY_NEGATIVES]).generate_state(
            1, np.uint64
        )

    def __len__(self) -> int:
        return len(self._ids)

    def candidates(self, sample_keys: npt.NDArray[np.int64], wanted: int) -> list[list[str]]:
        """Draw more papers than wanted for each query, because the query may cite some of them."""
        if not len(self):
            return [[] for _ in sample_keys]
        columns = np.arange(wanted + _SPARE, dtype=np.uint64)
        places = self._hash_pairs(sample_keys[:, None], columns) % np.uint64(len(self))
        names = self._ids.take(pa.array(places.ravel())).to_pylist()
        width = len(columns)
        return [names[start : start + width] for start in range(0, len(names), width)]

    def pick(
        self,
        candidates: list[str],
        sample_key: int,
        wanted: int,
        cited: Collection[str],
        used: Collection[str],
    ) -> list[str]:
        """Return the first distinct candidates that are neither cited nor used.

        Args:
            candidates: Papers that `candidates` has drawn for the query.
            sample_key: The sample key of the query.
            wanted: The number of papers to return.
            cited: Papers that are never returned.
            used: Papers that are returned only if the pool has no others.

        Returns:
            `wanted` papers, or none if all papers of the pool are cited.
        """
        for names in (dict.fromkeys(candidates), self._in_order(sample_key)):
            fresh = (name for name in names if name not in cited and name not in used)
            if len(picked := list(islice(fresh, wanted))) == wanted:
                return picked
        again = cycle(name for name in self._in_order(sample_key) if name not in cited)
        return picked + list(islice(again, wanted - len(picked)))

    def _in_order(self, sample_key: int) -> Iterator[str]:
        """Yield all papers in the order of the query, in parts: few of them are needed."""
        numbers = self._hash_pairs(np.array([sample_key]), np.arange(len(self), dtype=np.uint64))
        order = np.argsort(numbers)
        for start in range(0, len(order), _PART):
            yield from self._ids.take(pa.array(order[start : start + _PART])).to_pylist()

    def _hash_pairs(
        self, sample_keys: npt.NDArray[np.int64], columns: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.uint64]:
        """Return 64 pseudo-random bits for each pair of a sample key and a column."""
        pairs = (sample_keys.astype(np.uint64) << np.uint64(32)) | columns
        return _mix(_mix(pairs) ^ self._key)


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mix 64-bit counters (the finalizer of SplitMix64: Steele, Lea and Flood, 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class MinedBatch:
    """The triplets of one batch of queries, with their counts.

    `skipped` are queries without triplets. `hard` are triplets with a hard negative. `by_source`
    counts triplets by the origin of their positive, if the candidates have origins.
    """

    rows: pa.RecordBatch
    queries: int
    skipped: int
    hard: int
    by_source: Counter[str]


def draw_triplets(
    candidates: Sequence[Candidates], pool: NegativePool, per_query: int
) -> MinedBatch:
    """Return the triplets of queries, with easy negatives from the pool.

    The positives of a query are used cyclically. If `per_query` is 0, each has one triplet.
    """
    sample_keys = np.array([candidate.sample_key for candidate in candidates], np.int64)
    counts = [per_query or len(candidate.positives) for candidate in candidates]
    spare = pool.candidates(sample_keys, max(counts, default=0))
    mined, origins = 0, Counter[str]()
    columns: tuple[list[str], list[str], list[str], list[bool]] = ([], [], [], [])
    queries, positives, negatives, flags = columns
    for candidate, drawn, count in zip(candidates, spare, counts, strict=True):
        hard, refused = candidate.hard, {candidate.query, *candidate.related}
        easy = pool.pick(drawn, candidate.sample_key, count - len(hard), refused, hard)
        if candidate.positives and (hard or easy):
            size = len(hard) + len(easy)
            queries += [candidate.query] * size
            positives += islice(cycle(candidate.positives), size)
            negatives += [*hard, *easy]
            flags += [True] * len(hard) + [False] * len(easy)
            mined += 1
            origins.update(candidate.origins[:size])
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, SCHEMA, strict=True)]
    rows = pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
    return MinedBatch(rows, mined, len(candidates) - mined, sum(flags), origins)
