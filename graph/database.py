"""A Neo4j database: a driver and a database name, statements that read in pages, and results."""

import logging
import math
import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, TypeVar, cast, overload

import neo4j
from neo4j.exceptions import (
    AuthError,
    ConnectionAcquisitionTimeoutError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from specter_graph.core.errors import (
    GraphError,
    QueryTimeoutError,
    ServerError,
    SpecterGraphError,
    require_no_login,
)
from specter_graph.core.progress import Result
from specter_graph.cypher import query_text, statement

# Python prints messages of a logger without a handler. These are the server's notifications, which
# are in `CypherResult.warnings`, errors that the driver also raises, and that a thread retries a
# transaction when another one stopped with an error and closed the driver.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

DRIVER_ERRORS = (Neo4jError, DriverError)
"""The base classes of all errors that the driver raises."""
_FORBIDDEN = re.compile(r"Security\.(Forbidden|CredentialsExpired)|OnReadOnly(Access)?Database")

_GONE = (
    ConnectionAcquisitionTimeoutError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)
"""TransientError means that the database is starting, stopping or out of memory."""
Item_co = TypeVar("Item_co", covariant=True)
RECENT_SECONDS = 0.05
"""Time for which a bookmark counts as that of the last committed transaction."""
_IDLE_SECONDS = 30
"""Idle connections are tested before use after this time."""
_PAGE = 10_000
_CONFLICTS = 5
"""Maximum number of conflicts with others after which a transaction is retried at once."""
LOCK_SECONDS = 7 * 24 * 3_600.0
"""Default time for which a lock is held at most."""
TIMEOUT = 60.0
"""Default time limit of a query, in seconds."""
LIMIT = 1_000
"""Default maximum number of rows of a query."""


class SharedReads:
    """Values that were read from a database and are the same until the database changes.

    Each value has a stamp: the bookmark of the transaction before it was read, which names the last
    committed transaction. Any write to the database gives another stamp. A write of another process
    may be seen RECENT_SECONDS later.
    """

    def __init__(self, size: int = 256) -> None:
        """Keep the last `size` values."""
        self._size = size
        self._values: dict[Hashable, tuple[frozenset[str], Any]] = {}
        self._lock = Lock()
        self._newest = frozenset[str](), -math.inf

    @contextmanager
    def use(self) -> Iterator[None]:
        """Use the values in `Database.shared` until the block ends, as of its first read."""
        token = _current_reads.set(_CurrentReads(self))
        try:
            yield
        finally:
            _current_reads.reset(token)

    def add_stamp(self, stamp: frozenset[str]) -> None:
        """Add the bookmark of a transaction that has just ended."""
        self._newest = stamp, monotonic()

    def recent_stamp(self) -> frozenset[str] | None:
        """Return the newest stamp; None if it is older than RECENT_SECONDS."""
        stamp, time = self._newest
        return stamp if monotonic() - time < RECENT_SECONDS else None

    def get(self, key: Hashable, stamp: frozenset[str], read: Callable[[], Result]) -> Result:
        """Return the value of a key if it has the stamp, else read it."""
        with self._lock:
            known = self._values.pop(key, None)
            if known is not None and known[0] == stamp:
                self._values[key] = known  # the newest one again
                return cast(Result, known[1])
        value = read()
        with self._lock:
            self._values[key] = stamp, value
            if len(self._values) > self._size:
                del self._values[next(iter(self._values))]
        return value


@dataclass(slots=True)
class _CurrentReads:
    """The reads of one request; `stamp` is the bookmark of its first read."""

    shared: SharedReads
    stamp: frozenset[str] | None = None


_current_reads: ContextVar[_CurrentReads | None] = ContextVar("current_reads", default=None)


def timeout_error(error: Exception, timeout: float | None = None) -> QueryTimeoutError | None:
    """Return the error for the user if a query exceeded its time limit, else None."""
    code = error.code if isinstance(error, Neo4jError) else None
    if not isinstance(error, TimeoutError) and "TransactionTimedOut" not in (code or ""):
        return None
    limit = "its time limit" if timeout is None else f"its time limit of {timeout:g} seconds"
    return QueryTimeoutError(
        f"the query exceeded {limit}", "reduce the rows, papers or hops, or increase the timeout"
    )


def unavailable_error() -> ServerError:
    """Return the error for the user if the database does not answer."""
    return ServerError(
        "the database does not answer",
        "wait a few seconds, and repeat it; embed, train and load continue where they stopped",
    )


def _is_deadlock(error: Exception) -> bool:
    return isinstance(error, Neo4jError) and "DeadlockDetected" in (error.code or "")


def _is_deletion(error: Exception) -> bool:
    """Return True if another transaction deleted what this one uses, also in a procedure."""
    return isinstance(error, Neo4jError) and "EntityNotFound" in f"{error.code} {error.message}"


def _retry_conflicts(run: Callable[[], Result]) -> Result:
    """Run a function again after a conflict with another transaction.

    A driver retries deadlocks at most, and that of a service nothing.
    """
    for _ in range(_CONFLICTS):
        try:
            return run()
        except Neo4jError as error:
            if not (_is_deadlock(error) or _is_deletion(error)):
                raise
    return run()


def translate_driver_error(error: Exception) -> SpecterGraphError | None:
    """Return the error for the user, or None if the cause is a bug in this program."""
    if _is_deadlock(error):
        return SpecterGraphError("another command changes the same data", "try again")
    if isinstance(error, _GONE):
        return unavailable_error()
    if isinstance(error, AuthError):
        return ServerError(
            f"the server rejects the login: {error.message}",
            "check the user and the password: NEO4J_USERNAME and NEO4J_PASSWORD, or the auth of"
            " your driver",
        )
    if type(error) is DriverError:  # all others are of subclasses
        return ServerError(f"the connection is not open: {error}", "open the graph again")
    if isinstance(error, Neo4jError):
        code = error.code or ""
        if "DatabaseNotFound" in code:
            text = f"the database does not exist: {error.message}"
            return ServerError(text, "use an existing one")
        if _is_deletion(error):
            return GraphError("something was deleted from the graph while it was used", "try again")
    return rights_error(error) or timeout_error(error)


def rights_error(error: Exception) -> ServerError | None:
    """Return the error for the user if the server forbids what a command does, else None."""
    if not isinstance(error, Neo4jError) or not _FORBIDDEN.search(error.code or ""):
        return None
    return ServerError(
        f"the server forbids it: {error.message}",
        "use a database and a user that may do it: NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD",
    )


@contextmanager
def driver_errors(timeout: float | None = None) -> Iterator[None]:
    """Raise the errors for the user instead of those of the driver; others are left as they are.

    Raises:
        ServerError: The server cannot be reached or forbids the statement.
        QueryTimeoutError: The statement exceeded its time limit.
    """
    try:
        yield
    except DRIVER_ERRORS as error:
        if known := timeout_error(error, timeout) or translate_driver_error(error):
            raise known from error
        raise


def instance_option(instance: str | None) -> str:
    """Return the option that selects a local server, "" for the default one."""
    return f" --instance {instance}" if instance not in (None, "default") else ""


@dataclass(frozen=True, slots=True)
class Database:
    """A driver and a database name; the first argument of every function of this package.

    A query is the name of a statement in `cypher/`, such as "loading/papers", or Cypher. Methods
    that run queries raise the errors of `session`.

    Attributes:
        driver: The Neo4j driver.
        name: The database; None for the server's default database.
        timeout: Seconds after which the server stops a read (see `QueryTimeoutError`).
        place: Description of the database in messages.
        instance: Name of the local server, if it is one.
        others: Names of the other local servers on this machine.
        login: URI, user and password, with which other processes can connect; set by `connect`.
    """

    driver: neo4j.Driver
    name: str | None = None
    timeout: float | None = None
    place: str = "the database"
    instance: str | None = None
    others: tuple[str, ...] = ()
    login: tuple[str, str, str | None] | None = field(default=None, repr=False)

    @property
    def option(self) -> str:
        """The option that selects this database: " --instance NAME", or "" for the default."""
        return instance_option(self.instance)

    def read(self, query: str, /, **parameters: object) -> list[dict[str, Any]]:
        """Run a read statement in a retried transaction and return all rows."""
        return self._read(query, parameters, _rows)

    def write(self, query: str, /, **parameters: object) -> list[dict[str, Any]]:
        """Run a write statement in a retried transaction and return all rows."""
        return self.transaction(lambda tx: _rows(tx.run(query_text(query), parameters)))

    def value(self, query: str, /, **parameters: object) -> Any:  # noqa: ANN401, the statement says
        """Run a read statement that returns one row with one column, and return its value.

        The transaction is retried.
        """
        return self._read(query, parameters, lambda result: result.single(strict=True).value())

    def values(self, query: str, /, **parameters: object) -> list[list[Any]]:
        """Run a read statement in a retried transaction and return the values of each row."""
        return self._read(query, parameters, lambda result: [row.values() for row in result])

    def shared(self, key: Hashable, read: Callable[[], Result]) -> Result:
        """Return the value of `read`, which all callers share until the database changes.

        Outside `SharedReads.use`, it is read each time. Do not change the value.

        Args:
            key: The name of the value, with all that it depends on except the database.
            read: Reads the value.
        """
        current = _current_reads.get()
        if current is None:
            return read()
        if current.stamp is None:
            recent = current.shared.recent_stamp()
            if recent == self.driver.execute_query_bookmark_manager.get_bookmarks():
                current.stamp = recent  # this process has not written since
            else:
                self.value("RETURN true")
        assert current.stamp is not None
        return current.shared.get(key, current.stamp, read)

    def stream(
        self, query: str, /, *, fetch_size: int = 2_000, **parameters: object
    ) -> Iterator[neo4j.Record]:
        """Run a read statement and yield its rows as they arrive."""
        with self.session(default_access_mode=neo4j.READ_ACCESS, fetch_size=fetch_size) as session:
            yield from session.run(self._add_timeout(query), dict(parameters))

    def transaction(self, work: Callable[[neo4j.ManagedTransaction], Result]) -> Result:
        """Run `work` in one write transaction; a retry runs `work` again."""
        with self.session() as session:
            return _retry_conflicts(lambda: session.execute_write(work))

    def commit(self, query: str, /, **parameters: object) -> None:
        """Run a statement that manages its own transactions (CALL {} IN TRANSACTIONS, schema).

        After a conflict it runs again, so it must have the same result as if it ran once.
        """
        with self.session() as session:
            _retry_conflicts(lambda: session.run(query_text(query), dict(parameters)).consume())

    @contextmanager
    def lock(
        self, query: str, /, timeout: float = LOCK_SECONDS, **parameters: object
    ) -> Iterator[None]:
        """Wait for a lock, and hold it for at most `timeout` seconds.

        The lock is a node that `query` creates and that is never committed. The server rolls it
        back when the connection ends, so a killed process leaves no lock; a proxy that closes idle
        connections ends it early.
        """
        with self.session() as session:
            lock = session.begin_transaction(timeout=timeout)
            try:
                lock.run(query_text(query), parameters).consume()
                yield
            finally:
                lock.close()

    @contextmanager
    def session(self, **options: Any) -> Iterator[neo4j.Session]:  # noqa: ANN401
        """Open a session, by default one without the server's notifications.

        It reads what earlier sessions of the driver wrote, also on another server of a cluster. A
        driver of the caller would log them for almost every statement, such as "the label `Split`
        does not exist".

        Raises:
            ServerError: The server cannot be reached or forbids a statement.
            QueryTimeoutError: A statement exceeded its time limit.
        """
        options = {"notifications_min_severity": "OFF"} | options
        bookmarks = self.driver.execute_query_bookmark_manager
        with (
            driver_errors(self.timeout),  # outside the retries of the driver
            self.driver.session(
                database=self.name, bookmark_manager=bookmarks, **options
            ) as session,
        ):
            yield session

    def server_info(self) -> neo4j.ServerInfo:
        """Return the version of the server, and of its protocol."""
        with driver_errors():
            return self.driver.get_server_info()

    def _add_timeout(self, query: str) -> neo4j.Query:
        return neo4j.Query(query_text(query), timeout=self.timeout)

    def _read(
        self, query: str, parameters: dict[str, object], convert: Callable[[neo4j.Result], Result]
    ) -> Result:
        """Run a read statement and convert its result.

        A request of the service has a short time, so its reads are not retried. Such a read takes
        half the time, because it needs no messages that begin and commit a transaction.
        """
        current = _current_reads.get()
        with self.session(default_access_mode=neo4j.READ_ACCESS) as session:
            if current is None:
                work = neo4j.unit_of_work(timeout=self.timeout)(
                    lambda tx: convert(tx.run(query_text(query), parameters))
                )
                return session.execute_read(work)
            result = session.run(self._add_timeout(query), parameters)
            converted = convert(result)
            result.consume()
            stamp = session.last_bookmarks().raw_values
            current.shared.add_stamp(stamp)
            current.stamp = current.stamp or stamp
        return converted


def _rows(result: neo4j.Result) -> list[dict[str, Any]]:
    """Return all rows of a result.

    The statement must not return nodes or relationships: `Result.data`, which converts them, looks
    for them in every value and takes three times as long.
    """
    keys = result.keys()
    return [dict(zip(keys, row.values(), strict=True)) for row in result]


def run_statement(
    tx: neo4j.ManagedTransaction, name: str, /, **parameters: object
) -> list[dict[str, Any]]:
    """Run a statement of `cypher/` in a transaction and return all rows."""
    return _rows(tx.run(statement(name).text, parameters))


@contextmanager
def connect(
    uri: str,
    username: str,
    password: str | None,
    name: str | None = None,
    *,
    connect_timeout: float | None = None,
) -> Iterator[Database]:
    """Open a driver and check that the server answers.

    Args:
        uri: URI of the server.
        username: User.
        password: Password; None for a server without authentication.
        name: Database; None for the server's default database.
        connect_timeout: Seconds to wait for a connection. If given, a call that loses the server
            fails immediately; otherwise the driver retries for 30 seconds.

    Raises:
        InputError: The URI has a user or a password.
        ServerError: The server cannot be reached, rejects the credentials or has no such database.
    """
    require_no_login("the URI", uri)
    auth = (username, password) if password is not None else None
    waits: dict[str, Any] = {}
    if connect_timeout is not None:
        waits = dict.fromkeys(
            ("connection_timeout", "connection_acquisition_timeout"), connect_timeout
        )
        waits |= {"max_transaction_retry_time": 0, "liveness_check_timeout": _IDLE_SECONDS}
    if not uri.startswith(("bolt", "neo4j")):
        raise ServerError(
            f"{uri} is not an address of Neo4j's protocol Bolt",
            "use bolt://HOST:7687, or neo4j:// for a cluster; name a local server as the instance",
        )
    with neo4j.GraphDatabase.driver(
        uri, auth=auth, notifications_min_severity="OFF", user_agent="specter-graph", **waits
    ) as driver:
        try:
            with driver.session(database=name) as session:
                session.run("RETURN 1").consume()
        except AuthError as error:
            raise ServerError(
                f"{uri} rejects the user {username!r}", "set NEO4J_USERNAME and NEO4J_PASSWORD"
            ) from error
        except (ServiceUnavailable, Neo4jError, OSError, ValueError) as error:
            if isinstance(error, Neo4jError) and "DatabaseNotFound" in (error.code or ""):
                raise ServerError(
                    f"{uri} has no database {name!r}",
                    "set NEO4J_DATABASE to one that it has, or unset it for the default database",
                ) from error
            raise rights_error(error) or ServerError(
                f"no Neo4j answers at {uri}: {error}",
                "check NEO4J_URI and NEO4J_DATABASE, or unset NEO4J_URI to use a local server",
            ) from error
        login = (uri, username, password)
        yield Database(driver, name, place=f"the database at {uri}", login=login)


def column_pages(db: Database, name: str, **parameters: object) -> Iterator[list[list[Any]]]:
    """Run a statement that pages through papers; it takes $after and $limit.

    Each page is read in a separate transaction, so a slow consumer keeps no transaction open. A
    page is one row, because the driver takes 15 microseconds per row, whatever its size.

    Yields:
        The columns of each page, lists of equal length; the first one contains ids, in order.
    """
    after = ""
    while True:
        [columns] = db.values(name, after=after, limit=_PAGE, **parameters)
        ids = columns[0]
        if ids:
            yield columns
        if len(ids) < _PAGE:
            return
        after = ids[-1]


def id_pages(db: Database, name: str, **parameters: object) -> Iterator[list[str]]:
    """Yield the ids of each page of a statement as for `column_pages`."""
    for columns in column_pages(db, name, **parameters):
        yield columns[0]


def paged_rows(
    db: Database, text: str, key: str, limit: int, **parameters: object
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a statement, in pages of `limit`, each read in a separate transaction.

    The statement takes $after and $limit and returns rows in the order of the column `key`, those
    with a greater key than $after.
    """
    after = ""
    while rows := db.read(text, after=after, limit=limit, **parameters):
        yield from rows
        after = rows[-1][key]


class ResultItems(Sequence[Item_co]):
    """A result that is the sequence of its items: iterate over it, index or slice it."""

    __slots__ = ()

    @abstractmethod
    def _items(self) -> list[Item_co]: ...

    @overload
    def __getitem__(self, index: int) -> Item_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item_co]: ...
    def __getitem__(self, index: int | slice) -> Item_co | list[Item_co]:
        return self._items()[index]

    def __iter__(self) -> Iterator[Item_co]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())
