"""Batches of the items of a load, and the queue of their write transactions.

The transactions run in order; one begins while the previous one commits.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, Generic, TypeAlias

import neo4j

from specter_graph.core.progress import Result
from specter_graph.graph.database import DRIVER_ERRORS, Database
from specter_graph.graph.loading.source_records import RankedRecord, combined, length_of, rank
from specter_graph.graph.loading.summary import LoadSummary, Rejects, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile, Item, Paper

MAX_PAPERS = 4_000
_MAX_LINKS = 40_000
_MAX_BYTES = 32 * 2**20

Exclusive: TypeAlias = Callable[[], None]
"""To be called in a transaction: no other transaction runs from then until it has committed."""
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


class _AbortedError(Exception):
    """Another transaction failed; unlike its error, the driver does not retry on this one."""


class TransactionQueue(Generic[Result]):
    """Transactions that run in order in two threads while the caller prepares the next ones.

    A commit takes a third of the time of a transaction, so the statements of one transaction run
    while the previous one commits. The statements of two transactions never run at the same time,
    so that they cannot deadlock. Two rules make the overlap safe:

    - The statements of a transaction lock all nodes that they connect, because a commit locks nodes
      that become dense, and read only what they have locked or what no transaction changes.
    - A transaction that reads or deletes more calls `exclusive` first. This waits until the
      previous transaction has committed, and keeps the next one waiting until its own commit.

    Results are delivered in order, in the caller's thread. If a transaction fails and the driver
    does not retry it, the later ones fail without being run. The end of the `with` block waits for
    all transactions.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._threads = ThreadPoolExecutor(_THREADS, "load")
        self._queue: deque[tuple[Future[Result], Callable[[Result], None]]] = deque()
        self._changed = Condition()
        self._submitted = self._next = 0
        self._running: _Turn | None = None
        self._committing: set[_Turn] = set()
        self._failure: Exception | None = None

    def __enter__(self) -> "TransactionQueue[Result]":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            while self._queue:
                self._deliver_next()
        finally:
            self._threads.shutdown(wait=True, cancel_futures=True)

    def submit(self, work: "Work[Result]", then: Callable[[Result], None]) -> None:
        """Run a transaction after the transactions that were submitted before.

        Args:
            work: The transaction.
            then: Called with the result, in the thread of a later caller.

        Raises:
            Exception: The error of a transaction that was submitted before.
        """
        if len(self._queue) == _QUEUED:
            self._deliver_next()
        turn = _Turn(self._submitted)
        self._submitted += 1
        self._queue.append((self._threads.submit(self._run, work, turn), then))

    def _deliver_next(self) -> None:
        """Wait for the oldest transaction and deliver its result."""
        future, then = self._queue.popleft()
        try:
            result = future.result()
        except _AbortedError:
            self._queue.clear()
            assert self._failure is not None
            raise self._failure from None
        except Exception:
            self._queue.clear()
            raise
        then(result)

    def _run(self, work: "Work[Result]", turn: "_Turn") -> Result:
        def statements(tx: neo4j.ManagedTransaction) -> Result:
            self._end(turn)  # the driver retries a transaction that could not commit
            self._begin(turn)
            try:
                return work(tx, lambda: self._make_exclusive(turn))
            except Exception as error:
                if not (isinstance(error, DRIVER_ERRORS) and error.is_retryable()):
                    self._fail(error)  # before the next transaction begins
                raise
            finally:
                self._commit(turn)

        try:
            return self._db.transaction(statements)
        except Exception as error:
            self._fail(error)
            raise
        finally:
            with self._changed:
                self._next = max(self._next, turn.number + 1)
            self._end(turn)

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._failure = self._failure or error

    def _begin(self, turn: "_Turn") -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._failure or (self._running is None and turn.number <= self._next)
            )
            if self._failure:
                raise _AbortedError
            self._running = turn
            self._next = max(self._next, turn.number + 1)

    def _make_exclusive(self, turn: "_Turn") -> None:
        with self._changed:
            turn.exclusive = True
            self._changed.wait_for(lambda: not self._committing)

    def _commit(self, turn: "_Turn") -> None:
        """Let the next transaction run its statements, unless this one is exclusive."""
        if not turn.exclusive:
            with self._changed:
                self._running = None
                self._committing.add(turn)
                self._changed.notify_all()

    def _end(self, turn: "_Turn") -> None:
        with self._changed:
            self._committing.discard(turn)
            if self._running is turn:
                self._running = None
            turn.exclusive = False
            self._changed.notify_all()


@dataclass(slots=True, eq=False)
class _Turn:
    """One transaction, until it has committed."""

    number: int
    exclusive: bool = False
