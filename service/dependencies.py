"""Dependencies of routes: the backend of the service, and the filters of a search."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import Field

from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.cypher import statement
from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space
from specter_graph.graph.queries import library_queries as library
from specter_graph.graph.search.search_filters import Filters
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service.embedding_batcher import EmbeddingBatcher
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.job_records import EmptyAsNone
from specter_graph.service.monitor import DatabaseMonitor
from specter_graph.service.service_settings import ServiceSettings


@dataclass(frozen=True, slots=True)
class Backend:
    """The backend shared by all requests.

    `overviews` has the overview of the corpus, by the numbers of papers and citations.
    """

    opened: LiteratureGraph
    texts: EmbeddingBatcher
    settings: ServiceSettings
    limited: LimitedProcesses
    monitor: DatabaseMonitor
    jobs: JobQueue | None = None
    overviews: dict[tuple[int, int], Any] = field(default_factory=dict)
    recommender: Recommender | None = None

    @property
    def graph(self) -> LiteratureGraph:
        """The graph; raises ServerError immediately while its database is down."""
        self.monitor.require()
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
        return get_space(self.database, name).property if name else self.settings.space

    def rows(self, name: str, **parameters: object) -> list[dict[str, Any]]:
        """Return the rows of a statement in `cypher/service`."""
        return self.database.read(statement(f"service/{name}").text, **parameters)

    def row(self, name: str, **parameters: object) -> dict[str, Any] | None:
        """Return the first row of a statement in `cypher/service`, or None."""
        return next(iter(self.rows(name, **parameters)), None)

    def stream(self, name: str, **parameters: str | int) -> Iterator[dict[str, Any]]:
        """Yield the rows of a statement in `cypher/service` as they arrive."""
        text = statement(f"service/{name}").text
        rows = self.database.stream(text, fetch_size=500, **parameters)
        return (row.data() for row in rows)

    def query(
        self, name: str, parameters: Mapping[str, object], space: str | None = None
    ) -> library.QueryResult:
        """Run a query of the library within the limits of the service."""
        return library.run_query(
            self.database,
            name,
            parameters,
            space,
            embed=self.texts.embed,
            timeout=self.settings.timeout,
            limit=self.settings.limit,
        )


def _backend(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


Year = Annotated[Annotated[int, Field(ge=0, le=9999)] | None, EmptyAsNone]


def _filters(
    since: Annotated[Year, Query(description="First year, inclusive.")] = None,
    until: Annotated[Year, Query(description="Last year, inclusive.")] = None,
    language: Annotated[str | None, Query(max_length=20, description="Language code: en.")] = None,
    field: Annotated[str | None, Query(max_length=200, description="Field: id or name.")] = None,
    venue: Annotated[str | None, Query(max_length=200, description="Venue: id or name.")] = None,
    author: Annotated[str | None, Query(max_length=200, description="Name: S. Weinberg")] = None,
    topic: Annotated[str | None, Query(max_length=200, description="Id of a topic.")] = None,
) -> Filters:
    return Filters(
        since=since,
        until=until,
        language=language or None,
        field=field or None,
        venue=venue or None,
        author=author or None,
        topic=topic or None,
    )


BackendDep = Annotated[Backend, Depends(_backend)]
FiltersDep = Annotated[Filters, Depends(_filters)]
