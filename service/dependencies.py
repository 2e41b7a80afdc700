"""Dependencies of routes: the backend of the service, its batches of texts, filters of a search."""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from fastapi import Depends, Query, Request
from numpy.typing import NDArray
from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from specter_graph.core.errors import InputError
from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.database import Database, SharedReads, unavailable_error
from specter_graph.graph.embeddings.spaces import DEFAULT_SPACES, first_space, get_space
from specter_graph.graph.queries import library_queries as library
from specter_graph.graph.search.search_filters import Filters
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.job_records import EmptyAsNone
from specter_graph.service.monitor import DatabaseMonitor, Metrics
from specter_graph.service.service_settings import ServiceSettings
from specter_graph.service.usage_recorder import UsageLog

Vector: TypeAlias = NDArray[np.float32]

QUERY_PATH = "/v1/queries/{name}"
"""Path of the queries of the library, which have parameters of their own and check them."""


def _check_year(value: object, check: ValidatorFunctionWrapHandler) -> object:
    try:
        return check(value)
    except ValidationError as error:
        message = "{value} is not a year from 1000 to 9999"
        raise PydanticCustomError("year", message, {"value": repr(value)[:50]}) from error


Year = Annotated[
    Annotated[int, Field(ge=1000, le=9999), WrapValidator(_check_year)] | None, EmptyAsNone
]
Name = Annotated[Annotated[str, Field(max_length=200)] | None, EmptyAsNone]


class _Request(NamedTuple):
    text: str
    space: str
    vector: "Future[Vector]"


class EmbeddingBatcher:
    """Embeds the texts of concurrent requests in batches, in one thread.

    While a batch is embedded, the texts of the next one collect. If each request embedded in its
    own thread, PyTorch would start its threads again for each of them.
    """

    def __init__(self, graph: LiteratureGraph, metrics: Metrics) -> None:
        self._graph = graph
        self._metrics = metrics
        self._waiting: SimpleQueue[_Request] = SimpleQueue()
        self._thread = ThreadPoolExecutor(1, "embed")
        self._lock = Lock()  # a tokenizer works for one thread at a time

    def embed(self, text: str, space: str) -> Vector:
        """Embed a text with the model of a space as a vector, (d,) float32.

        Raises the errors of `Spaces.embed_texts`, and UnicodeError for an incomplete
        character (such as half of an emoji), which would fail all texts of the batch.
        """
        text.encode()
        return self._graph.database.shared(
            ("embedding", text, space), lambda: self._in_a_batch(text, space)
        )

    def _in_a_batch(self, text: str, space: str) -> Vector:
        request = _Request(text, space, Future())
        self._waiting.put(request)
        # in the context of the request, which shares the record of the space
        self._thread.submit(copy_context().run, self._embed_waiting)
        return request.vector.result()

    def covers(self, text: str, space: str) -> bool:
        """Return True if the model of a space supports the script of a text."""
        if text.isascii():  # every model covers it, and the lock is held while texts are embedded
            return True
        with self._lock:
            return self._graph.spaces.covers(text, space)

    def close(self) -> None:
        """Embed the waiting texts and stop the thread."""
        self._thread.shutdown()

    def _embed_waiting(self) -> None:
        waiting = [self._waiting.get() for _ in range(self._waiting.qsize())]
        for space in dict.fromkeys(request.space for request in waiting):
            batch = [request for request in waiting if request.space == space]
            self._metrics.texts.inc(len(batch))
            self._metrics.text_batches.inc()
            try:
                texts = [request.text for request in batch]
                with self._lock:
                    vectors = self._graph.spaces.embed_texts(texts, space)
            except BaseException as error:  # raised in each of the threads
                for request in batch:
                    request.vector.set_exception(error)
            else:
                for request, vector in zip(batch, vectors, strict=True):
                    request.vector.set_result(vector)


@dataclass(frozen=True, slots=True)
class Backend:
    """The backend shared by all requests, with the values that they share (`Database.shared`)."""

    opened: LiteratureGraph
    texts: EmbeddingBatcher
    settings: ServiceSettings
    limited: LimitedProcesses
    monitor: DatabaseMonitor
    metrics: Metrics
    jobs: JobQueue | None = None
    recommender: Recommender | None = None
    usage_log: UsageLog | None = None
    reads: SharedReads = field(default_factory=SharedReads)

    @property
    def graph(self) -> LiteratureGraph:
        """The graph; raises ServerError immediately while its database is down."""
        if not self.monitor.is_up:
            raise unavailable_error()
        return self.opened

    @property
    def database(self) -> Database:
        """The database of the graph; raises ServerError immediately while it is down."""
        return self.graph.database

    def space(self, name: str | None) -> str:
        """Return the name of an existing space, or the default space of the service.

        Raises:
            GraphError: The named space does not exist.
        """
        return get_space(self.database, name).name if name else self.default_space

    @property
    def default_space(self) -> str:
        """The default space of the service, which does not exist if there are no spaces."""
        return self.settings.space or first_space(self.database) or DEFAULT_SPACES[0]

    def rows(self, name: str, **parameters: object) -> list[dict[str, Any]]:
        """Return the rows of a statement in `cypher/service`."""
        return self.database.read(f"service/{name}", **parameters)

    def row(self, name: str, **parameters: object) -> dict[str, Any] | None:
        """Return the first row of a statement in `cypher/service`, or None."""
        return next(iter(self.rows(name, **parameters)), None)

    def query(self, name: str, parameters: Mapping[str, object]) -> library.QueryResult:
        """Run a query of the library within the limits of the service."""
        return library.run_query(
            self.database,
            name,
            parameters,
            embed=self.texts.embed,
            timeout=self.settings.timeout,
            limit=self.settings.limit,
        )


# FastAPI runs dependencies that are not async in a thread, which costs more time than they take.
async def _backend(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


async def _filters(
    since: Annotated[Year, Query(description="First year, inclusive.")] = None,
    until: Annotated[Year, Query(description="Last year, inclusive.")] = None,
    language: Annotated[Name, Query(description="Language code: en.")] = None,
    field: Annotated[Name, Query(description="Field: id or name.")] = None,
    venue: Annotated[Name, Query(description="Venue: id or name.")] = None,
    author: Annotated[Name, Query(description="Name: S. Weinberg")] = None,
    topic: Annotated[Name, Query(description="Topic: id or name.")] = None,
    list: Annotated[Name, Query(description="Name of a reading list.")] = None,
) -> Filters:
    return Filters(since, until, language, field, venue, author, topic, list)


BackendDep = Annotated[Backend, Depends(_backend)]


async def _form(request: Request) -> dict[str, Any]:
    return {name: value for name, value in (await request.form()).items() if value != ""}


FormDep = Annotated[dict[str, Any], Depends(_form)]
"""The fields of a form that are not empty."""


async def _check_parameters(request: Request) -> None:
    """Raise InputError for a query parameter that the route does not have, or has only once."""
    if not request.query_params:
        return  # the first request would wait 0.2 s for the document
    path = f"/v1{request.scope['route'].path_format.removeprefix('/v1')}"
    operation = request.app.openapi()["paths"].get(path, {}).get(request.method.lower())
    if operation is None:
        return
    known = {
        parameter["name"]: parameter["schema"].get("type")
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known and path != QUERY_PATH:
            raise InputError(
                f"{path} has no query parameter {name!r}",
                f"use {', '.join(known)}" if known else "omit the parameter",
            )
        if count > 1 and known.get(name) != "array":
            hint = "write a list as JSON" if path == QUERY_PATH else "send one value"
            raise InputError(f"the query parameter {name!r} is given {count} times", hint)


KnownParameters = Depends(_check_parameters)
"""Dependency of all routes under /v1."""

FiltersDep = Annotated[Filters, Depends(_filters)]
