"""Load corpora into the graph in batches, in constant memory and any order.

After a load, the graph has for each paper what its record says, whatever the order of the records
and the state of the graph before. A changed record replaces the old one with all its relationships.
If a load has several records of a paper, the record of highest rank counts (`source_records`).
If this record leaves a part, such as the references, to other records, the part comes from the
record of highest rank that has it.

Supplements (citations, abstracts, labels and readings that are not part of a record) are added. A
cited or read paper without a record is a Stub until its record is loaded. References of a paper to
itself are ignored, and repeated references count once. If records give
an author or a field several names, the last name in alphabetical order is stored. It may be a name
from a record that has been replaced.

The completed files of a load are stored in the graph: an interrupted load, run again, skips them.
"""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, runtime_checkable
from uuid import uuid4

from specter_graph.core.errors import ServerError, counted
from specter_graph.core.progress import map_ahead
from specter_graph.graph.database import DRIVER_ERRORS, Database, rights_error
from specter_graph.graph.loading.record_writer import write_batch
from specter_graph.graph.loading.summary import (
    LoadSummary,
    OnBatch,
    Rejects,
    WriteCounts,
    ignore_batch,
)
from specter_graph.graph.loading.write_transactions import (
    QUEUED,
    THREADS,
    Batch,
    OverlappingTransactions,
    read_batches,
)
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import CorpusItem


@runtime_checkable
class CheckpointedSource(Protocol):
    """A stream that can skip completed files, such as `loaders.Corpus`."""

    @property
    def key(self) -> str:
        """A text that identifies this corpus in its present state."""

    @property
    def is_mutable(self) -> bool:
        """True if the contents may change under the same key."""

    def read(self, skipped: Collection[str]) -> Iterator[CorpusItem]:
        """Yield the items of all files except those whose keys are in `skipped`."""


@dataclass(frozen=True, slots=True)
class LoadRun:
    """One run of a load, including its interruptions.

    Attributes:
        load: Identifies the load.
        number: Identifies this run; the papers that it writes are marked with it, and another run
            of the same load replaces them.
        earlier: Numbers of the earlier runs.
        done: Keys of the completed files.
        rejected: Rejected records of these files.
    """

    load: int
    number: int
    earlier: tuple[int, ...] = ()
    done: frozenset[str] = frozenset()
    rejected: int = 0


def load_papers(
    db: Database,
    items: Iterable[CorpusItem] | CheckpointedSource,
    *,
    rejects: Path | str | None = None,
    on_batch: OnBatch = ignore_batch,
) -> LoadSummary:
    """Write the records of a stream to the graph and count them.

    Args:
        db: The graph.
        items: The items of a corpus.
        rejects: File for rejected records; None to write no file.
        on_batch: Called with the current summary after each batch.

    Returns:
        The counts of the load.

    Raises:
        ServerError: The server stops; the same load, run again, completes the graph.
        InputError: An item is not a record, such as the characters of a path.
    """
    started = time.monotonic()
    summary = LoadSummary()
    apply_schema(db)

    transactions = OverlappingTransactions(db)

    def write(batch: Batch) -> tuple[WriteCounts, Batch]:
        return transactions.run(partial(write_batch, batch=batch, load=run.number)), batch

    try:
        if isinstance(items, CheckpointedSource):
            run = begin_load(db, load_number(items.key), is_mutable=items.is_mutable)
            stream: Iterable[CorpusItem] = items.read(run.done)
            summary.parts_done_before, summary.rejected_before = len(run.done), run.rejected
            if run.rejected and rejects and Path(rejects).exists():
                summary.rejects = str(rejects)
        else:
            number = load_number(uuid4().hex)
            run, stream = LoadRun(number, number), items
        # A continued load adds to the rejects of its earlier run.
        append = summary.parts_done_before > 0
        with Rejects(rejects, append=append) as file:
            batches = read_batches(stream, summary, file, on_batch)
            for written, batch in map_ahead(write, batches, threads=THREADS, ahead=QUEUED):
                summary.count(written)
                for key, rejected in batch.parts.items():  # all records of these files are written
                    file_done(db, run.load, key, rejected)
        if isinstance(items, CheckpointedSource):
            end_load(db, run.load)
    except (ServerError, *DRIVER_ERRORS) as error:
        cause = error.__cause__ if isinstance(error.__cause__, DRIVER_ERRORS) else error
        raise rights_error(cause) or ServerError(
            f"the server failed after {counted(summary.records, 'record')}: {cause}",
            "run the same load again when it is back: it completes the graph",
        ) from error
    summary.seconds = time.monotonic() - started
    on_batch(summary)
    return summary


def load_number(key: str) -> int:
    """Return the number of a load in the graph: 63 bits, the same for the same corpus."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


def begin_load(db: Database, load: int, *, is_mutable: bool) -> LoadRun:
    """Begin a load, or continue it if it has not ended.

    A load that has ended and is run again is a new run if its source is mutable; otherwise it is
    the same run, which replaces nothing.
    """
    [row] = db.write("loading/begin", load=load, is_mutable=is_mutable)
    runs = [load, *(load_number(f"{load} {run}") for run in range(1, row["run"] + 1))]
    return LoadRun(load, runs[-1], tuple(runs[:-1]), frozenset(row["done"]), row["rejected"])


def file_done(db: Database, load: int, key: str, rejected: int = 0) -> None:
    """Store that a file has been loaded, with its number of rejected records."""
    db.write("loading/file_done", load=load, key=key, rejected=rejected)


def end_load(db: Database, load: int) -> None:
    """Store that a load is complete."""
    db.write("loading/end", load=load)
