"""From the ids of a few hundred query papers to their triplets."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import Citations, Source
from specter_graph.graph.triplets.negatives import Pool
from specter_graph.graph.triplets.rows import TripletRows
from specter_graph.graph.triplets.sources import Finder


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
