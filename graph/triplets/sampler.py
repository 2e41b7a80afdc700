"""Sample triplets for a few hundred query papers."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import Citations, Source
from specter_graph.graph.triplets.files import TripletRows
from specter_graph.graph.triplets.sources import Finder

_SPARE = 3
"""Candidates drawn beyond those that are wanted: a few are refused."""
_FIRST = 1_000
"""Papers of the pool that are sorted before the others, which are seldom needed."""


class Pool:
    """The papers that easy negatives are drawn from.

    What is drawn for a query depends on the seed, on the query's draw and on the set of papers:
    not on the batch that the query falls in, nor on the order of anything.
    """

    def __init__(self, ids: Iterable[list[str]], seed: int) -> None:
        """Keep the ids, given in pages in sorted order, as one Arrow column: 1 M take 20 MB."""
        self._ids = pa.chunked_array([pa.array(page, pa.string()) for page in ids], pa.string())
        self._ids = self._ids.combine_chunks()
        self._key = np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)

    def __len__(self) -> int:
        return len(self._ids)

    def candidates(self, draws: npt.NDArray[np.int64], wanted: int) -> list[list[str]]:
        """Draw papers for each query, more than wanted, since a query refuses what it cites."""
        if not len(self):
            return [[] for _ in draws]
        columns = np.arange(wanted + _SPARE, dtype=np.uint64)
        places = self._numbers(draws[:, None], columns) % np.uint64(len(self))
        names = self._ids.take(pa.array(places.ravel())).to_pylist()
        width = len(columns)
        return [names[start : start + width] for start in range(0, len(names), width)]

    def pick(
        self,
        candidates: list[str],
        draw: int,
        wanted: int,
        cited: Collection[str],
        used: Collection[str],
    ) -> list[str]:
        """Take the first of the candidates that are neither cited nor used, all different.

        `cited` are refused whatever comes; `used` are taken again where the pool has no others.
        Gives fewer than `wanted`, that is none, only where the whole pool is cited.
        """
        taken: dict[str, None] = {}
        for candidate in candidates:
            if len(taken) == wanted:
                break
            if candidate not in cited and candidate not in used:
                taken[candidate] = None
        if len(taken) == wanted:
            return list(taken)
        fresh = (name for name in self._in_order(draw) if name not in cited and name not in used)
        picked = list(islice(fresh, wanted))
        again = cycle(name for name in self._in_order(draw) if name not in cited)
        return picked + list(islice(again, wanted - len(picked)))

    def _in_order(self, draw: int) -> Iterator[str]:
        """All papers in the query's own order; the first ones do not wait for all to be sorted."""
        if not len(self):
            return
        numbers = self._numbers(np.array([draw]), np.arange(len(self), dtype=np.uint64))
        last = min(_FIRST, len(self)) - 1
        bound = np.partition(numbers, last)[last]
        for some in (numbers <= bound, numbers > bound):
            places = np.flatnonzero(some)
            yield from self._ids.take(pa.array(places[np.argsort(numbers[places])])).to_pylist()

    def _numbers(
        self, draws: npt.NDArray[np.int64], columns: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.uint64]:
        """64 random bits for each pair of a draw and a column."""
        pairs = (draws.astype(np.uint64) << np.uint64(32)) | columns
        return _mix(_mix(pairs) ^ self._key)


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatter 64-bit counters (the finaliser of SplitMix64: Steele, Lea and Flood, 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Sampling:
    """What is sampled for the papers of a split."""

    source: Source
    seed: int
    split: Literal["train", "validation"]

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"the seed {self.seed} is negative", "0 or more")
        if self.split not in ("train", "validation"):
            raise InputError(
                f"no triplets are made for the split {self.split!r}", "'train' or 'validation'"
            )
        if self.split == "validation" and (
            not isinstance(self.source, Citations) or self.source.hard_from
        ):
            raise InputError(
                "validation triplets are mined from citations alone, so that models compare",
                f"leave out --split validation, source {self.source.source} or hard_from",
            )


@dataclass(frozen=True, slots=True)
class Mined:
    """The triplets of one batch of queries, with its part of the report."""

    rows: pa.RecordBatch
    queries: int
    skipped: int
    hard: int
    fallbacks: int
    by_source: Counter[str]


class Miner:
    """Turns a batch of query ids into triplets: what the source finds, and easy negatives."""

    def __init__(self, sampling: Sampling, finder: Finder, pool: Pool) -> None:
        self._source = sampling.source
        self._finder = finder
        self._pool = pool

    def mine(self, ids: list[str]) -> Mined:
        """Mine the triplets of the query papers of one batch, in the order of `ids`."""
        found = self._finder.find(ids)
        draws = np.array([each.draw for each in found], np.int64)
        candidates = self._pool.candidates(draws, self._source.per_query)
        rows = TripletRows()
        queries = hard = 0
        by_source: Counter[str] = Counter()
        for each, drawn in zip(found, candidates, strict=True):
            wanted = self._source.per_query - len(each.hard)
            refused = {each.query, *each.related}
            easy = self._pool.pick(drawn, each.draw, wanted, refused, each.hard)
            if each.positives and (each.hard or easy):
                count = rows.add(each.query, each.positives, each.hard, easy)
                queries += 1
                hard += len(each.hard)
                by_source.update(each.origins[:count] or {self._source.source: count})
        return Mined(
            rows=rows.batch(),
            queries=queries,
            skipped=len(ids) - queries,
            hard=hard,
            fallbacks=queries * self._source.hard - hard,
            by_source=by_source,
        )
