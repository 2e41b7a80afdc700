"""Mining of training triplets (query, positive, negative) from the graph by Cypher.

SPECTER, sections 2.3, 2.4 and 4: a positive is cited by the query; a hard negative is cited by a
paper that the query cites, but not by the query; an easy negative is a random paper that the query
does not cite. Other sources have other positives and hard negatives, see `sources`. All samples
depend only on the seed and on the papers' sample keys (`sample_key`) and ids.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import BaseModel

from specter_graph.core.errors import InputError, require_choice, require_counts
from specter_graph.core.progress import Progress, batches, map_ahead, silent
from specter_graph.core.triplet_settings import (
    CitationTriplets,
    CooccurrenceTriplets,
    MultitaskTriplets,
    NeighborTriplets,
    Source,
    triplet_lines,
)
from specter_graph.graph.contents import require_papers, stats
from specter_graph.graph.database import Database, id_pages
from specter_graph.graph.split import (
    ANY_REFERENCES,
    HOLDOUT,
    MANY_REFERENCES,
    held_out_below,
    query_ids,
    training_ids,
)
from specter_graph.graph.triplets.sampler import MinedBatch, NegativePool, draw_triplets
from specter_graph.graph.triplets.sources import open_source
from specter_graph.graph.triplets.sources.candidates import Stream
from specter_graph.graph.triplets.triplet_files import write_triplets
from specter_graph.loaders.records import SAMPLE_PRIME

_BATCH = 400  # queries per statement
_COOCCURRENCE_BATCH = 100  # queries per statement that returns all papers with common links
_WORKERS = 3  # two keep the server busy while one assembles rows
_WINDOW = 12  # batches in progress or waiting for the reader
_POOL = 1_000_000


@dataclass(slots=True)
class TripletReport:
    """Counts of mined triplets; complete when the stream has been read to its end.

    Attributes:
        split: The split of the queries, "train" or "validation".
        seed: The random seed.
        mined: The source and its settings, see `core.triplet_settings`.
        holdout: Share of papers held out for test, and again for validation.
        queries: Queries with triplets.
        triplets: All triplets.
        hard: Triplets with a hard negative.
        fallbacks: Easy triplets used in place of hard ones, for queries with too few hard
            negatives.
        by_source: Triplets of each source; 0 for a source of `MultitaskTriplets` without data.
        skipped: Queries without a triplet, because they have no positive or no negative.
        digest: SHA-256 over the `triplet_lines`; empty until the stream has ended.
    """

    split: str
    seed: int
    mined: dict[str, Any]
    holdout: float
    queries: int = 0
    triplets: int = 0
    hard: int = 0
    fallbacks: int = 0
    by_source: dict[str, int] = field(default_factory=dict)
    skipped: int = 0
    digest: str = ""


@dataclass(eq=False, repr=False)
class TripletStream:
    """The triplets of a graph as Arrow record batches of SCHEMA, in the order of the query ids.

    Each iteration mines again and yields the same rows. Background threads mine a few batches ahead
    of the reader; their number is limited, so memory does not grow with the graph.
    """

    db: Database
    source: Source
    seed: int
    split: str
    holdout: float
    progress: Progress
    report: TripletReport = field(init=False)

    def __post_init__(self) -> None:
        self.report = self._start_report()

    def __repr__(self) -> str:
        source, split = self.source.source, self.split
        return f"<TripletStream of {source}: {split=}, holdout={self.holdout}, seed={self.seed}>"

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        report = self.report = self._start_report()
        digest = sha256()
        db, settings, seed, holdout = self.db, self.source, self.seed, self.holdout
        total = training = round(stats(db).papers * (1 - 2 * holdout))
        source = open_source(db, settings, seed, holdout)
        pool = _read_pool(db, training, seed, holdout)
        queries: Iterable[str] = training_ids(db, holdout)
        if self.split == "validation":
            of_citations = isinstance(settings, CitationTriplets) and settings.per_query
            wanted = MANY_REFERENCES if of_citations else ANY_REFERENCES
            queries = query_ids(db, "validation", holdout, references=wanted)
            total = len(queries)
        distribution = settings.distribution if isinstance(settings, MultitaskTriplets) else {}
        by_source = Counter({str(name): 0 for name, weight in distribution.items() if weight})

        def mine(ids: list[str]) -> MinedBatch:
            return draw_triplets(source.find(ids), pool, settings.per_query)

        self.progress("triplets", 0, total)
        is_large = isinstance(settings, CooccurrenceTriplets | MultitaskTriplets)
        parts = batches(queries, _COOCCURRENCE_BATCH if is_large else _BATCH)
        for mined in map_ahead(mine, parts, threads=_WORKERS, ahead=_WINDOW):
            report.queries += mined.queries
            report.skipped += mined.skipped
            report.triplets += mined.rows.num_rows
            report.hard += mined.hard
            report.fallbacks = report.queries * settings.hard - report.hard
            by_source.update(mined.by_source)
            report.by_source = dict(by_source) or {settings.source: report.triplets}
            digest.update(triplet_lines(mined.rows))
            done = report.queries + report.skipped
            self.progress("triplets", done, max(done, total))
            if mined.rows.num_rows:
                yield mined.rows
        done = report.queries + report.skipped
        self.progress("triplets", done, done)
        for name, count in by_source.items() if distribution else ():
            self.progress(f"triplets from {name}", count, count)
        report.digest = digest.hexdigest()

    def write(self, path: Path | str) -> Path:
        """Mine into a file: .parquet, .jsonl, .jsonl.gz or .jsonl.zst.

        The file appears when it is complete.

        Args:
            path: The file.

        Returns:
            The file.

        Raises:
            InputError: The suffix is unknown or the folder does not exist.
        """
        return write_triplets(self, path)

    def _start_report(self) -> TripletReport:
        return TripletReport(self.split, self.seed, self.source.model_dump(), self.holdout)


def mine_triplets(
    db: Database,
    source: Source | None = None,
    *,
    seed: int = 0,
    split: Literal["train", "validation"] = "train",
    holdout: float = HOLDOUT,
    progress: Progress = silent,
) -> TripletStream:
    """Mine training triplets, by default five for each query from its citations.

    The same corpus and seed give the same triplets. Positives and negatives are training papers for
    both splits, so validation triplets measure how well unseen papers are placed among known ones.
    No triplet contains a test paper. See docs/triplets.md for the sampling.

    Args:
        db: The graph.
        source: Settings of the source (see `core.triplet_settings`), by default citations, with
            two hard triplets of five for each query.
        seed: Random seed, not negative.
        split: The papers that are queries: the training papers, or the scored validation papers.
        holdout: Share of papers held out for test, and again for validation.
        progress: Called with the number of queries.

    Returns:
        Arrow record batches with the columns query, positive, negative and hard; they are mined
            while you iterate.

    Raises:
        InputError: An argument is out of range.
        GraphError: The graph has no papers, or a space that the source names is missing.
        LeakError: Such a space has seen citations that `holdout` hides.
    """
    source = source or CitationTriplets()
    _check_arguments(source, seed, split)
    held_out_below(holdout)  # raises InputError if out of range
    require_papers(db)
    return TripletStream(db, source, seed, split, holdout, progress)


def _check_arguments(source: Source, seed: int, split: str) -> None:
    if not isinstance(source, BaseModel):
        raise InputError(
            f"source is a {type(source).__name__}, not settings of triplets",
            "give CitationTriplets() or CooccurrenceTriplets(source=...); to write a file:"
            ' graph.triplets().write("triplets.parquet")',
        )
    require_counts(0, seed=seed)
    require_choice("split", split, ("train", "validation"))
    if split == "validation" and (isinstance(source, NeighborTriplets) or source.hard_from):
        raise InputError(
            "validation triplets are not mined from the space of a model",
            f"leave out the split validation, source {source.source} or hard_from",
        )


def _read_pool(db: Database, papers: int, seed: int, holdout: float) -> NegativePool:
    """Read the ids of all training papers (about `papers`), or of a sample of a million."""
    below = SAMPLE_PRIME if papers <= _POOL else SAMPLE_PRIME * _POOL // papers
    factor = 1 + int(np.random.SeedSequence([seed, Stream.POOL]).generate_state(1)[0]) % (
        SAMPLE_PRIME - 1
    )
    held_out = held_out_below(holdout)
    pages = id_pages(db, "triplets/training_ids", factor=factor, below=below, held_out=held_out)
    return NegativePool(pages, seed)
