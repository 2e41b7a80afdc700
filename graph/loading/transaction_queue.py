"""Lets a transaction run its statements while the one before it commits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from specter_graph.graph.database import Database, Result


class NotAloneError(Exception):
    """What a transaction has to do may only be done when no other is on its way."""


class _FailedTogetherError(Exception):
    """Unlike its cause, nothing that the driver would try again."""


class Turns:
    """The transactions of one load, of several threads.

    One at a time runs its statements, so that no two wait for each other's locks crosswise. What
    has run them has only its commit before it, which takes a third of the time: meanwhile the next
    one begins, and waits where it comes to what is not committed yet.

    When the server has failed one for good, the others fail with it and do not try for themselves.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._running = False
        self._committing = 0
        self._failure: DriverError | Neo4jError | None = None

    def alone(self, db: Database, work: Callable[[neo4j.ManagedTransaction], Result]) -> Result:
        """Run a transaction from its beginning to its commit while no other is on its way."""
        with self._failing_together():
            self._begin(alone=True)
            try:
                return db.transaction(work)
            finally:
                self._change(running=False)

    def overlapping(
        self, db: Database, work: Callable[[neo4j.ManagedTransaction], Result]
    ) -> Result:
        """Run a transaction whose statements may run while another commits.

        `work` must read nothing that such a transaction may change, unless it has locked it; and it
        must lock every node that it connects: a commit locks those that become dense.
        """
        committing = 0

        def statements(tx: neo4j.ManagedTransaction) -> Result:
            nonlocal committing
            self._change(committing=-committing)  # the driver tries again what did not commit
            committing = 0
            self._begin(alone=False)
            try:
                return work(tx)
            finally:
                committing = 1
                self._change(running=False, committing=1)

        with self._failing_together():
            try:
                return db.transaction(statements)
            finally:
                self._change(committing=-committing)

    def _begin(self, *, alone: bool) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._failure or not (self._running or (alone and self._committing))
            )
            if self._failure:
                raise _FailedTogetherError from self._failure
            self._running = True

    def _change(self, *, running: bool | None = None, committing: int = 0) -> None:
        with self._changed:
            if running is not None:
                self._running = running
            self._committing += committing
            self._changed.notify_all()

    @contextmanager
    def _failing_together(self) -> Iterator[None]:
        if self._failure:
            raise self._failure
        try:
            yield
        except (DriverError, Neo4jError) as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()
            raise
        except _FailedTogetherError:
            assert self._failure is not None
            raise self._failure from None
