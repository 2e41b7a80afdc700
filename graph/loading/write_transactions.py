"""Batches of the items of a load, and their write transactions."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Lock, Semaphore
from typing import Any, TypeAlias

import neo4j

from specter_graph.core.progress import Result
from specter_graph.graph.database import Database
from specter_graph.graph.loading.source_records import RankedRecord, combined, length_of, rank
from specter_graph.graph.loading.summary import LoadSummary, OnBatch, Rejects, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile, Item, Paper

MAX_PAPERS = 4_000
_MAX_LINKS = 40_000
_MAX_BYTES = 32 * 2**20

Exclusive: TypeAlias = Callable[[], None]
"""To be called in a transaction: no other transaction runs from then until it has committed."""
Work: TypeAlias = Callable[[neo4j.ManagedTransaction, Exclusive], Result]

THREADS = 2
QUEUED = 3
"""Maximum number of transactions that run or wait; the next batch is read meanwhile."""


@dataclass(slots=True)
class Batch:
    """The items of one transaction; several records of a paper are combined.

    Attributes:
        papers: Records by paper.
        others: Other items by type.
        parts: Keys of the files that end in this batch, with their numbers of rejected records.
        duplicates: Number of records that were combined with another record of the same paper.
        links: Number of references and of other items.
        bytes: Size of the records in bytes.
    """

    papers: dict[str, RankedRecord] = field(default_factory=dict)
    others: dict[type, list[Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    links: int = 0
    bytes: int = 0

    def add(self, item: Item) -> None:
        """Add an item."""
        if not isinstance(item, Paper):
            self.others.setdefault(type(item), []).append(item)
            self.links += 1
            return
        entry = RankedRecord.of(item, rank(item))
        known = self.papers.get(item.id)
        self.duplicates += known is not None
        self.papers[item.id] = combined(known, entry) if known else entry
        self.links += len(entry.references)
        self.bytes += length_of(entry.record)

    @property
    def is_full(self) -> bool:
        """True if the batch has the maximum size of a transaction."""
        return (
            len(self.papers) >= MAX_PAPERS or self.links >= _MAX_LINKS or self.bytes >= _MAX_BYTES
        )

    def __bool__(self) -> bool:
        return bool(self.papers or self.others or self.parts)


def read_batches(
    items: Iterable[CorpusItem], summary: LoadSummary, rejects: Rejects, on_batch: OnBatch
) -> Iterator[Batch]:
    """Yield the items to be written in batches.

    Args:
        items: The items of a corpus.
        summary: Counts the items that are not written: filtered and rejected records.
        rejects: File for rejected records.
        on_batch: Called with the summary when a batch has been read.
    """
    batch, rejected = Batch(), 0
    for item in split_rejects(items, summary, rejects):
        if isinstance(item, EndOfFile):
            batch.parts[item.key] = summary.rejected - rejected
            rejected = summary.rejected
        else:
            batch.add(item)
        if batch.is_full:
            on_batch(summary)
            yield batch
            batch = Batch()
    if batch:
        on_batch(summary)
        yield batch


class OverlappingTransactions:
    """Transactions of some threads: the statements of one run while others commit.

    A commit takes a third of the time of a transaction. The statements of two transactions never
    run at the same time, so that they cannot deadlock. Two rules make the overlap safe:

    - The statements of a transaction lock all nodes that they connect, because a commit locks nodes
      that become dense, and read only what they have locked or what no transaction changes.
    - A transaction that reads or deletes more calls `exclusive` first. This waits until all
      others have committed, and keeps the next one waiting until its own commit.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._running = Lock()
        self._committing = Semaphore(THREADS)
        """Taken once by each transaction that commits, unless it is exclusive."""

    def run(self, work: "Work[Result]") -> Result:
        """Run a transaction and return its result, in a thread of the caller."""
        with ExitStack() as held:

            def statements(tx: neo4j.ManagedTransaction) -> Result:
                held.close()  # the driver retries a transaction that could not commit
                running = held.enter_context(ExitStack())
                running.enter_context(self._running)
                is_exclusive = False

                def exclusive() -> None:
                    nonlocal is_exclusive
                    is_exclusive = True
                    for _ in range(THREADS):  # waits until no other transaction commits
                        self._committing.acquire()
                    self._committing.release(THREADS)

                result = work(tx, exclusive)
                if not is_exclusive:
                    held.enter_context(self._committing)
                    running.close()
                return result

            return self._db.transaction(statements)
