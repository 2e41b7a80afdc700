"""From the ids of a few hundred query papers to their triplets."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from specter_graph.cypher import statement
from specter_graph.errors import InputError
from specter_graph.graph.connection import Database
from specter_graph.graph.easy_negatives import Pool
from specter_graph.graph.triplet_rows import TripletRows
from specter_graph.loaders.records import DRAW_PRIME
from specter_graph.triplet_sources import Source

_ALL = DRAW_PRIME  # more references than any paper has


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


@dataclass(frozen=True, slots=True)
class Mined:
    """The triplets of one batch of queries, with its part of the report."""

    rows: pa.RecordBatch
    queries: int
    skipped: int
    hard: int
    fallbacks: int


class Miner:
    """Turns a batch of query ids into triplets: one statement, seldom two, then pure numpy."""

    def __init__(self, db: Database, sampling: Sampling, pool: Pool) -> None:
        self._db = db
        self._sampling = sampling
        self._pool = pool
        # One reference walked for each hard negative: few queries have to be asked again, and
        # walking all references would cost more than twice as much.
        self._fanout = sampling.source.hard
        self._text = statement("triplets/batch").text
        state = np.random.SeedSequence([sampling.seed, 0]).generate_state(3, np.uint64)
        factor, offset, shift = (int(word) % (DRAW_PRIME - 1) for word in state)
        self._keys = {"factor": 1 + factor, "offset": offset, "shift": shift}

    def mine(self, ids: list[str]) -> Mined:
        """Mine the triplets of the query papers of one batch, in the order of `ids`."""
        found = self._read(ids, self._fanout)
        self._ask_again(found)
        draws = np.array([draw for _, draw, _, _ in found], np.int64)
        candidates = self._pool.candidates(draws, self._sampling.source.per_query)
        rows = TripletRows()
        queries = hard_ones = 0
        for (query, draw, cited, hard), drawn in zip(found, candidates, strict=True):
            wanted = self._sampling.source.per_query - len(hard)
            easy = self._pool.pick(drawn, draw, wanted, {query, *cited}, hard)
            if cited and (hard or easy):
                rows.add(query, cited, hard, easy)
                queries += 1
                hard_ones += len(hard)
        return Mined(
            rows=rows.batch(),
            queries=queries,
            skipped=len(ids) - queries,
            hard=hard_ones,
            fallbacks=queries * self._sampling.source.hard - hard_ones,
        )

    def _read(self, ids: list[str], fanout: int) -> list[list[Any]]:
        found: list[list[Any]] = self._db.value(
            self._text, ids=ids, fanout=fanout, hard=self._sampling.source.hard, **self._keys
        )
        return found

    def _ask_again(self, found: list[list[Any]]) -> None:
        """Walk all references of the queries whose first ones gave too few hard negatives."""
        short = {
            query: row
            for row, (query, _, cited, hard) in enumerate(found)
            if len(hard) < self._sampling.source.hard and len(cited) > self._fanout
        }
        if short:
            for again in self._read(list(short), _ALL):
                found[short[again[0]]] = again
