"""Run the write transactions of a load one after another, each while the one before it commits."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Condition
from types import TracebackType
from typing import Generic, TypeAlias

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from specter_graph.graph.database import Database, Result

Exclusive: TypeAlias = Callable[[], None]
"""Called within a transaction: no other one is on its way from then until it has committed."""
Work: TypeAlias = Callable[[neo4j.ManagedTransaction, Exclusive], Result]

_THREADS = 2
_QUEUED = 3
"""Transactions that may wait for the threads: meanwhile the next one is prepared."""


class _AbortedError(Exception):
    """Another transaction failed; unlike its error, the driver does not retry on this one."""


class TransactionQueue(Generic[Result]):
    """Transactions that run in order in two threads while the caller prepares the next ones.

    A commit takes a third of the time of a transaction, so the statements of one transaction run
    while the one before it commits. The statements of two never run at the same time, so that they
    do not wait for each other's locks crosswise. Two rules make the overlap safe:

    - The statements of a transaction lock all nodes that they connect, because a commit locks nodes
      that become dense, and read only what they have locked or what no transaction changes.
    - A transaction that reads or deletes more calls `exclusive` first. This waits until the
      transaction before it has committed, and keeps the next one waiting until its own commit.

    Results are passed on in order, in the caller's thread. When a transaction has failed for good,
    those after it fail, too, without trying. All are completed at the end of the `with` block.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._threads = ThreadPoolExecutor(_THREADS, "load")
        self._queue: deque[tuple[Future[Result], Callable[[Result], None]]] = deque()
        self._changed = Condition()
        self._running: _Turn | None = None
        self._committing: set[_Turn] = set()
        self._failure: DriverError | Neo4jError | None = None

    def __enter__(self) -> "TransactionQueue[Result]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            while self._queue:
                self._pass_on()
        finally:
            self._threads.shutdown(wait=True, cancel_futures=True)

    def submit(self, prepare: "Callable[[], Work[Result]]", then: Callable[[Result], None]) -> None:
        """Run a transaction after those submitted before, and pass its result to `then`.

        `prepare` returns the work of the transaction; it runs in a thread of the queue before the
        transaction begins. Raises DriverError or Neo4jError when a transaction submitted before has
        failed for good.
        """
        if len(self._queue) == _QUEUED:
            self._pass_on()
        self._queue.append((self._threads.submit(self._run, prepare), then))

    def _pass_on(self) -> None:
        future, then = self._queue.popleft()
        try:
            result = future.result()
        except _AbortedError:
            self._queue.clear()
            assert self._failure is not None
            raise self._failure from None
        except (DriverError, Neo4jError):
            self._queue.clear()
            raise
        then(result)

    def _run(self, prepare: "Callable[[], Work[Result]]") -> Result:
        work, turn = prepare(), _Turn()

        def statements(tx: neo4j.ManagedTransaction) -> Result:
            self._end(turn)  # the driver retries a transaction that could not commit
            self._begin(turn)
            try:
                return work(tx, lambda: self._make_exclusive(turn))
            finally:
                self._commit(turn)

        try:
            return self._db.transaction(statements)
        except (DriverError, Neo4jError) as error:
            with self._changed:
                self._failure = self._failure or error
            raise
        finally:
            self._end(turn)

    def _begin(self, turn: "_Turn") -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._failure or self._running is None)
            if self._failure:
                raise _AbortedError
            self._running = turn

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


class _Turn:
    """One transaction, until it has committed."""

    exclusive = False
