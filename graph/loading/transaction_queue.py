"""Batches of the items of a load, and the order of their write transactions.

The transactions run in order; one begins while the previous one commits.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeAlias

import neo4j

from specter_graph.core.progress import Result, map_ahead
from specter_graph.graph.database import Database
from specter_graph.graph.loading.source_records import RankedRecord, combined, length_of, rank
from specter_graph.graph.loading.summary import LoadSummary, Rejects, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile, Item, Paper

MAX_PAPERS = 4_000
_MAX_LINKS = 40_000
_MAX_BYTES = 32 * 2**20

Exclusive: TypeAlias = Callable[[], None]
"""To be called in a transaction: no other transaction runs from then until it has ended."""
Work: TypeAlias = Callable[[neo4j.ManagedTransaction, Exclusive], Result]

_THREADS = 2
_QUEUED = 3
"""Maximum number of submitted transactions; the caller prepares the next one while they run."""


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
    items: Iterable[CorpusItem], summary: LoadSummary, rejects: Rejects
) -> Iterator[Batch]:
    """Yield the items to be written in batches.

    Args:
        items: The items of a corpus.
        summary: Counts the items that are not written: filtered and rejected records.
        rejects: File for rejected records.
    """
    batch, rejected = Batch(), 0
    for item in split_rejects(items, summary, rejects):
        if isinstance(item, EndOfFile):
            batch.parts[item.key] = summary.rejected - rejected
            rejected = summary.rejected
        else:
            batch.add(item)
        if batch.is_full:
            yield batch
            batch = Batch()
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Turn:
    """The place of a transaction in the order: events after its statements, and after its end."""

    ran: Event = field(default_factory=Event)
    ended: Event = field(default_factory=Event)


def run_in_order(db: Database, works: Iterable["Work[Result]"]) -> Iterator[Result]:
    """Run transactions in order in two threads, and yield their results.

    A commit takes a third of the time of a transaction, so the statements of one transaction run
    while the previous one commits. Two rules make the overlap safe:

    - The statements of a transaction lock all nodes that they connect, because a commit locks nodes
      that become dense, and read only what they have locked or what no transaction changes.
    - A transaction that reads or deletes more calls `exclusive` first. This waits until the
      previous transactions have ended, and keeps the next one waiting until its own end.

    If a transaction fails and the driver does not retry it, its error is raised; the next one may
    have been written, too.
    """

    def steps() -> Iterator[tuple["Work[Result]", _Turn, _Turn]]:
        before = _Turn()
        before.ran.set()
        before.ended.set()
        for work in works:
            turn = _Turn()
            yield work, before, turn
            before = turn

    def run(step: tuple["Work[Result]", _Turn, _Turn]) -> Result:
        work, before, turn = step
        is_exclusive = False

        def exclusive() -> None:
            nonlocal is_exclusive
            is_exclusive = True
            before.ended.wait()

        def statements(tx: neo4j.ManagedTransaction) -> Result:
            before.ran.wait()
            result = work(tx, exclusive)
            if not is_exclusive:
                turn.ran.set()
            return result

        try:
            return db.transaction(statements)
        finally:
            before.ended.wait()
            turn.ended.set()
            turn.ran.set()

    return map_ahead(run, steps(), threads=_THREADS, ahead=_QUEUED)
