"""Training triplets (query, positive, negative), mined from the graph by Cypher.

SPECTER, sections 2.3, 2.4 and 4: a positive is cited by the query; a hard negative is cited by a
paper that the query cites, but not by the query; an easy negative is a random paper that the query
does not cite. Other sources have other positives and hard negatives, see `mining`. Everything
drawn follows from the seed, the papers' draws and their ids.
"""

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.easy_negatives import Pool
from specter_graph.graph.holdout import HoldOut, hold_out, require_hold_out, split_ids
from specter_graph.graph.id_pages import id_pages
from specter_graph.graph.mining import finder
from specter_graph.graph.spaces import batches
from specter_graph.graph.triplet_miner import Mined, Miner, Sampling
from specter_graph.graph.triplet_rows import TripletDigest
from specter_graph.loaders.records import DRAW_PRIME
from specter_graph.progress import Progress, silent
from specter_graph.triplet_sources import Citations, Source

_BATCH = 400  # queries a statement
_WORKERS = 3  # two keep the server busy while one assembles rows
_WINDOW = 12  # batches under way or waiting for the reader
_POOL = 1_000_000


@dataclass(slots=True)
class TripletReport:
    """What was mined; complete once the stream has been read to its end.

    `mined` is the source with its settings, see `triplet_sources`. `fallbacks` counts the easy
    triplets that stand where a hard one was wanted, because the query has too few hard negatives.
    `by_source` counts the triplets of each source. `skipped` counts queries without a triplet:
    they have no positive, or no negative. `digest` is that of `TripletDigest`.
    """

    split: str
    seed: int
    mined: dict[str, Any]
    holdout: float
    holdout_digest: str
    queries: int = 0
    triplets: int = 0
    hard: int = 0
    fallbacks: int = 0
    by_source: dict[str, int] = field(default_factory=dict)
    skipped: int = 0
    digest: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)


class TripletStream:
    """The triplets of a graph as Arrow record batches of SCHEMA, in the order of the query ids.

    Each iteration mines anew and gives the same rows; memory stays flat. Raises LeakError when
    the hold-out has changed since the stream was made. A few hundred queries are
    mined ahead of the reader by threads of its own.
    """

    def __init__(
        self,
        db: Database,
        sampling: Sampling,
        held_out: HoldOut,
        progress: Progress = silent,
    ) -> None:
        self._db = db
        self._sampling = sampling
        self._held_out = held_out
        self._progress = progress
        self.report = self._blank()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        require_hold_out(self._db, self._held_out)
        report = self.report = self._blank()
        digest = TripletDigest()
        papers = self._db.value(statement("triplets/count").text)
        total = papers if self._sampling.split == "train" else self._held_out.validations
        found = finder(self._db, self._sampling.source, self._sampling.seed, self._held_out)
        miner = Miner(self._sampling, found, _pool(self._db, papers, self._sampling.seed))
        by_source: Counter[str] = Counter()
        self._progress("triplets", 0, total)
        for mined in self._ahead(miner):
            report.queries += mined.queries
            report.skipped += mined.skipped
            report.triplets += mined.rows.num_rows
            report.hard += mined.hard
            report.fallbacks += mined.fallbacks
            by_source.update(mined.by_source)
            report.by_source = dict(by_source)
            digest.update(mined.rows)
            self._progress("triplets", report.queries + report.skipped, total)
            if mined.rows.num_rows:
                yield mined.rows
        require_hold_out(self._db, self._held_out)
        report.digest = digest.hexdigest()

    def _blank(self) -> TripletReport:
        sampling = self._sampling
        return TripletReport(
            sampling.split,
            sampling.seed,
            sampling.source.model_dump(),
            self._held_out.fraction,
            self._held_out.digest,
        )

    def _ahead(self, miner: Miner) -> Iterator[Mined]:
        """Mine with several threads, give the batches in order, never run far ahead."""
        pending: deque[Future[Mined]] = deque()
        with ThreadPoolExecutor(_WORKERS, "triplets") as workers:
            try:
                for ids in batches(split_ids(self._db, self._sampling.split), _BATCH):
                    pending.append(workers.submit(miner.mine, ids))
                    if len(pending) == _WINDOW:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                for future in pending:
                    future.cancel()


def mine_triplets(
    db: Database,
    source: Source | None = None,
    *,
    seed: int = 0,
    split: Literal["train", "validation"] = "train",
    holdout: float = 0.1,
    progress: Progress = silent,
) -> TripletStream:
    """Hold papers out, then mine triplets for the training or the validation papers.

    Without a `source` they come from the citations, five a query, two of them hard.

    Positives and negatives are training papers for both splits, so validation triplets say how
    well unseen papers are placed among known ones. Test papers are in no triplet.

    Raises InputError for numbers out of range. See docs/triplets.md for what is drawn and how.
    """
    sampling = Sampling(source or Citations(), seed, split)
    return TripletStream(db, sampling, hold_out(db, holdout), progress)


def _pool(db: Database, papers: int, seed: int) -> Pool:
    """All training papers, or about a million of them, so that memory is flat."""
    below = DRAW_PRIME if papers <= _POOL else DRAW_PRIME * _POOL // papers
    factor = 1 + int(np.random.SeedSequence([seed, 2]).generate_state(1)[0]) % (DRAW_PRIME - 1)
    return Pool(id_pages(db, "triplets/pool", factor=factor, below=below), seed)
