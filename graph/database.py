"""A Neo4j database as the functions of this room see it: a driver and a database name."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import neo4j
from neo4j.exceptions import AuthError, Neo4jError, ServiceUnavailable
from neo4j.warnings import PreviewWarning

from specter_graph.core.errors import ServerError

Result = TypeVar("Result")


_IDLE_SECONDS = 30
"""A connection that was idle for longer is tested before it is used."""


@dataclass(frozen=True, slots=True)
class Database:
    """The first argument of every function of this room.

    `name` None is the server's default database. With `seconds` the server stops any read that
    takes longer (see `failures`). `place` names it in messages; of a local server, `instance` is
    the name, and `others` are the other instances of this machine. `login`, the address, user and
    password of the server, is there for another process to connect; `connect` sets it.
    """

    driver: neo4j.Driver
    name: str | None = None
    seconds: float | None = None
    place: str = "the database"
    instance: str | None = None
    others: tuple[str, ...] = ()
    login: tuple[str, str, str | None] | None = field(default=None, repr=False)

    @property
    def option(self) -> str:
        """What a command needs to work on this database: " --instance NAME", "" for the default."""
        return f" --instance {self.instance}" if self.instance not in (None, "default") else ""

    def read(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        """Run a read statement in a retried transaction; all rows at once."""
        return self._execute(self._timed(text), parameters, neo4j.RoutingControl.READ)

    def write(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        """Run a write statement in a retried transaction; all rows at once."""
        return self._execute(text, parameters, neo4j.RoutingControl.WRITE)

    def value(self, text: str, **parameters: object) -> Any:  # noqa: ANN401, the statement says
        """Run a read statement with one row and one column in a retried transaction; its value.

        For large nested lists: `read` would copy them in Python.
        """
        return self.driver.execute_query(
            self._timed(text),
            parameters,
            database_=self.name,
            routing_=neo4j.RoutingControl.READ,
            result_transformer_=lambda result: result.single(strict=True).value(),
        )

    def values(self, text: str, **parameters: object) -> list[list[Any]]:
        """Run a read statement in a retried transaction; the values of each row, not copied."""
        return self.driver.execute_query(
            self._timed(text),
            parameters,
            database_=self.name,
            routing_=neo4j.RoutingControl.READ,
            result_transformer_=lambda result: [record.values() for record in result],
        )

    def stream(
        self, text: str, *, fetch_size: int = 2_000, **parameters: object
    ) -> Iterator[neo4j.Record]:
        """Run a read statement and yield its rows as they arrive, memory flat."""
        with self.driver.session(
            database=self.name, default_access_mode=neo4j.READ_ACCESS, fetch_size=fetch_size
        ) as session:
            yield from session.run(self._timed(text), dict(parameters))

    def transaction(self, work: Callable[[neo4j.ManagedTransaction], Result]) -> Result:
        """Run several statements in one write transaction; `work` is run again if it is retried."""
        with self.driver.session(database=self.name) as session:
            return session.execute_write(work)

    def commit(self, text: str, **parameters: object) -> None:
        """Run a statement that manages its own transactions (CALL {} IN TRANSACTIONS, schema)."""
        with self.driver.session(database=self.name) as session:
            session.run(text, dict(parameters)).consume()

    def _timed(self, text: str) -> neo4j.Query:
        return neo4j.Query(text, timeout=self.seconds)

    def _execute(
        self, text: str | neo4j.Query, parameters: dict[str, object], routing: neo4j.RoutingControl
    ) -> list[dict[str, Any]]:
        result = self.driver.execute_query(text, parameters, database_=self.name, routing_=routing)
        return [record.data() for record in result.records]


@contextmanager
def connect(
    uri: str,
    username: str,
    password: str | None,
    name: str | None = None,
    *,
    patience: float | None = None,
) -> Iterator[Database]:
    """Open a driver and check that the server answers.

    With `patience` a call that loses the server later fails at once, and a connection is waited for
    so many seconds; by default the driver tries again for 30 seconds.

    Raises ServerError when it cannot be reached, refuses the credentials or has no such database.
    """
    auth = (username, password) if password is not None else None
    waits: dict[str, Any] = {}
    if patience is not None:
        waits = dict.fromkeys(("connection_timeout", "connection_acquisition_timeout"), patience)
        waits |= {"max_transaction_retry_time": 0, "liveness_check_timeout": _IDLE_SECONDS}
    with neo4j.GraphDatabase.driver(
        uri, auth=auth, notifications_min_severity="OFF", user_agent="specter-graph", **waits
    ) as driver:
        try:
            with warnings.catch_warnings():  # naming the database is a "preview" of the driver
                warnings.simplefilter("ignore", PreviewWarning)
                driver.verify_connectivity(database=name)
        except AuthError as error:
            raise ServerError(
                f"{uri} refuses the user {username!r}", "set NEO4J_USERNAME and NEO4J_PASSWORD"
            ) from error
        except (ServiceUnavailable, Neo4jError, OSError, ValueError) as error:
            raise ServerError(
                f"no Neo4j answers at {uri}: {error}",
                "check NEO4J_URI and NEO4J_DATABASE, or unset NEO4J_URI to use a local server",
            ) from error
        login = (uri, username, password)
        yield Database(driver, name, place=f"the database at {uri}", login=login)
