"""The service as an ASGI application with its OpenAPI document, and its HTTP server."""

import gc
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from threading import Thread
from typing import Any

import uvicorn
from fastapi import FastAPI, Security
from fastapi.security import HTTPBearer
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from threadpoolctl import threadpool_limits

from specter_graph import uploads
from specter_graph.core.errors import InputError, SpecterGraphError
from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.database import DRIVER_ERRORS
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service import (
    graph_routes,
    job_routes,
    list_pages,
    paper_page,
    paper_pages,
    paper_routes,
    review_venue_pages,
    reviewer_routes,
    status_pages,
)
from specter_graph.service.auth import PUBLIC_PATH, AuthMiddleware
from specter_graph.service.dependencies import Backend, EmbeddingBatcher, KnownParameters
from specter_graph.service.error_responses import register_error_handlers
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.middleware import (
    BodyLimitMiddleware,
    ConcurrencyMiddleware,
    ETagMiddleware,
    MetricsMiddleware,
    SecurityHeadersMiddleware,
    UnreadBodyMiddleware,
)
from specter_graph.service.models import ProblemDetails
from specter_graph.service.monitor import DatabaseMonitor, Metrics
from specter_graph.service.paper_queries import (
    MAX_RANKED,
    facets,
    overview,
    search_papers,
    space_names,
)
from specter_graph.service.service_settings import ServiceSettings
from specter_graph.service.usage_recorder import UsageLog

GRACE_SECONDS = 15
MAX_CONNECTIONS = 1_000
MAX_HEAD_BYTES = 2**18
"""Maximum bytes of a URL and headers: a search of 10,000 characters has up to 120,000."""
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemDetails, "description": description}
    for status, description in {
        400: "The request cannot be answered.",
        403: "A page of another site sent the request, or the API key has not the scope write.",
        404: "The graph does not contain the requested item.",
        422: "A parameter is invalid.",
        429: "Too many requests; try again after Retry-After seconds.",
        500: "An unexpected error; the output of the service has the details.",
        503: "The database does not answer; try again after Retry-After seconds.",
        504: "The request exceeded the time limit.",
    }.items()
}
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
_OF_BODIES = {"408": "The body did not arrive in time.", "413": "The body is too large."}


class _Service(FastAPI):
    """An application whose OpenAPI document describes errors and forms to generated clients."""

    def openapi(self) -> dict[str, Any]:
        """Return the document; FastAPI assigns the media types of the result also to errors."""
        if self.openapi_schema:
            return self.openapi_schema
        document = super().openapi()
        models = document["components"]["schemas"]
        for model in models.values():
            _describe_fields(model)
        live = document["paths"][PUBLIC_PATH]["get"]
        live.pop("security", None)
        live["responses"].pop("401", None)
        operations = [each for path in document["paths"].values() for each in path.values()]
        for operation in operations:
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _without_null(parameter["schema"])
            body, responses = operation.get("requestBody"), operation["responses"]
            if body:
                responses |= {
                    status: {**responses["400"], "description": description}
                    for status, description in _OF_BODIES.items()
                }
            if body and (form := body["content"].get("multipart/form-data")):
                _describe_form(models[form["schema"]["$ref"].rpartition("/")[2]]["properties"])
        for response in (each for one in operations for each in one["responses"].values()):
            for content in response.get("content", {}).values():
                if content.get("schema", {}).get("$ref") == "#/components/schemas/ProblemDetails":
                    response["content"] = {"application/problem+json": content}
        return document


def _describe_fields(model: dict[str, Any]) -> None:
    """Move the description of each attribute from the docstring of a model to its field."""
    summary, _, attributes = model.get("description", "").partition("\n\nAttributes:\n")
    for name, text in _ATTRIBUTE.findall(attributes):
        description = " ".join(text.split()).replace("None", "null")
        model["properties"][name].setdefault("description", description)
    if summary:
        model["description"] = summary.replace("None", "null")


def _describe_form(fields: dict[str, Any]) -> None:
    """Give files the format by which generators know them."""
    for name, field in fields.items():
        fields[name] = _without_null(field)
        file = fields[name].get("items", fields[name])
        if "contentMediaType" in file:
            file["format"] = "binary"


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value without null, which forms and URLs would send as a text."""
    for value in schema.get("anyOf", ()):
        if value["type"] != "null":
            return {**{key: schema[key] for key in schema if key != "anyOf"}, **value}
    return schema


def build_service(
    graph: LiteratureGraph, settings: ServiceSettings | None = None, jobs: JobQueue | None = None
) -> ASGIApp:
    """Return the service of a graph as an ASGI application.

    Args:
        graph: The graph; keep it open while the service runs.
        settings: Settings of the service.
        jobs: Enables background jobs; without it the service is read-only.

    Raises:
        InputError: Callers' Cypher is enabled, but the graph was not opened with
            `LiteratureGraph.open`.
    """
    settings = settings or ServiceSettings()
    if settings.allow_cypher and graph.database.login is None:
        raise InputError("callers' Cypher requires a graph opened with LiteratureGraph.open")
    app = build_routes(graph, settings, jobs)
    backend: Backend = app.state.backend
    limited = BodyLimitMiddleware(ETagMiddleware(app), settings)
    queued = ConcurrencyMiddleware(limited, backend)
    protected = AuthMiddleware(queued, settings)
    complete = UnreadBodyMiddleware(SecurityHeadersMiddleware(protected), settings)
    return MetricsMiddleware(complete, app, backend.metrics)


def build_routes(
    graph: LiteratureGraph, settings: ServiceSettings, jobs: JobQueue | None = None
) -> FastAPI:
    """Return the routes without middleware."""
    modules = (*uploads.MODULES, *([graph_routes.CYPHER_MODULE] if settings.allow_cypher else ()))
    limited = LimitedProcesses(*modules)
    monitor = DatabaseMonitor(graph)
    metrics = Metrics()
    texts = EmbeddingBatcher(graph, metrics)
    recommender = Recommender.load(settings.recommender) if settings.recommender else None
    usage_log = UsageLog(settings.usage_log) if settings.usage_log else None
    backend = Backend(
        graph, texts, settings, limited, monitor, metrics, jobs, recommender, usage_log
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warm_up = Thread(target=_warm_up, args=(backend,), name="warm up", daemon=True)
        warm_up.start()
        try:
            if jobs:
                jobs.start()
            limited.start()
            monitor.start()
            yield
        finally:
            if jobs:
                jobs.close()  # first: a job continues until then
            warm_up.join()
            gc.unfreeze()  # objects that are never freed are reported as leaks at the end
            backend.texts.close()
            limited.close()
            monitor.close()

    app = _Service(
        title="specter-graph",
        version=version("specter-graph"),
        description="Papers, their citations and embeddings. Read-only, except for /v1/jobs.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # these pages load scripts from other hosts
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,  # functions of generated clients
    )
    app.state.backend = backend
    register_error_handlers(app)
    api = [paper_routes.search_router, paper_routes.router, graph_routes.router]
    api += [reviewer_routes.router, graph_routes.operations_router]
    pages = [paper_pages.router, paper_page.router, list_pages.router]
    pages += [review_venue_pages.router, status_pages.router]
    if settings.allow_cypher:
        api.append(graph_routes.cypher_router)
    if jobs:
        api += [job_routes.router, job_routes.write_router]
        pages += [review_venue_pages.write_router, status_pages.write_router]
        pages.append(list_pages.write_router)
    dependencies, problems = [KnownParameters], {**PROBLEMS}
    if settings.read_keys:  # AuthMiddleware checks the key; this describes it in the document
        dependencies.append(Security(HTTPBearer(auto_error=False, description="An API key.")))
        problems[401] = {"model": ProblemDetails, "description": "The API key is not valid."}
    else:
        local = "The host of the request is another one than localhost."
        problems[421] = {"model": ProblemDetails, "description": local}
    for router in api:
        app.include_router(router, prefix="/v1", responses=problems, dependencies=dependencies)
    for router in pages:
        app.include_router(router)
    app.mount("/static", StaticFiles(packages=[("specter_graph.service", "static")]))
    return app


def _warm_up(backend: Backend) -> None:
    """Read topics, and search for the title of a paper.

    The first user does not wait for libraries, the model and Neo4j's plans.
    """
    try:
        for space in space_names(backend)[:1]:
            backend.graph.algorithms.list_topics(space)
        shown = overview(backend)
        for paper in [*shown["newest"], *shown["most_cited"]][:1]:
            hits = search_papers(backend, paper["title"], k=MAX_RANKED, page=1, detailed=1)
            facets(backend, hits, backend.default_space)
    except (SpecterGraphError, *DRIVER_ERRORS):  # requests report it
        return
    gc.collect()
    gc.freeze()  # a garbage collection of the model would stop requests for 0.3 s


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket.

    Args:
        host: The address.
        port: The port, 0 for any free port.

    Returns:
        The socket.

    Raises:
        InputError: The address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=MAX_CONNECTIONS)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error}",
            "use another host or port; port 0 is any free port",
        ) from error
    # asyncio sets TCP_NODELAY only on sockets with the protocol TCP. This socket has none, so each
    # answer would wait 40 ms for the client to acknowledge its first part.
    descriptor = listener.detach()
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor)


def serve(
    graph: LiteratureGraph,
    settings: ServiceSettings,
    listener: socket.socket,
    jobs: JobQueue | None = None,
    on_loaded: Callable[[], object] = lambda: None,
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; running requests get GRACE_SECONDS to finish.

    Unless OMP_NUM_THREADS is set, PyTorch and NumPy use one thread each: for a few short texts,
    synchronizing several threads costs more time than they save. Queries are embedded in the
    fastest precision.

    Args:
        graph: The graph.
        settings: Settings of the service.
        listener: The socket from `listen`.
        jobs: Enables background jobs; without it the service is read-only.
        on_loaded: Called when everything is loaded, before the first request.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"  # read when PyTorch is first imported
        threadpool_limits(1)  # NumPy is already imported
    graph.spaces.fast_texts = True
    config = uvicorn.Config(
        build_service(graph, settings, jobs),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    # uvicorn raises the signal again after its shutdown
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    on_loaded()
    uvicorn.Server(config).run(sockets=[listener])
