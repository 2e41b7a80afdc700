"""Assembly of the service: routes and the middleware around them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph import uploads
from specter_graph.core.errors import InputError
from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service.jobs import Jobs
from specter_graph.service.pages import papers as page_routes
from specter_graph.service.pages import review_venues
from specter_graph.service.pages import status as status_pages
from specter_graph.service.routes import (
    PROBLEMS,
    library,
    operations,
    papers,
    reviewers,
    search,
)
from specter_graph.service.routes import jobs as job_routes
from specter_graph.service.web.auth import Access
from specter_graph.service.web.config import Terms
from specter_graph.service.web.dependencies import Backend
from specter_graph.service.web.embedding_batcher import TextBatches
from specter_graph.service.web.error_responses import answer_errors
from specter_graph.service.web.headers import Conditional, SecurityHeaders
from specter_graph.service.web.limits import LimitedBody, Slots
from specter_graph.service.web.monitor import DatabaseMonitor, Metrics
from specter_graph.service.web.usage_log import UseLog

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
ABOUT = "Papers, their citations and their embeddings. Read-only, except for /v1/jobs."


def build_service(
    graph: LiteratureGraph, terms: Terms | None = None, jobs: Jobs | None = None
) -> ASGIApp:
    """Return the service of a graph as an ASGI application.

    Args:
        graph: The graph; keep it open while the service runs.
        terms: Settings of the service.
        jobs: Enables background jobs; without it the service is read-only.

    Raises:
        InputError: Callers' Cypher is enabled, but the graph was not opened with
            `LiteratureGraph.open`.
    """
    terms = terms or Terms()
    if terms.cypher and graph.database.login is None:
        raise InputError("callers' Cypher requires a graph opened with LiteratureGraph.open")
    app = routes(graph, terms, jobs)
    metrics: Metrics = app.state.metrics
    backend: Backend = app.state.backend
    inner = Slots(Conditional(app), terms, metrics, backend.monitor)
    return Measured(SecurityHeaders(Access(LimitedBody(inner, terms), terms)), app, metrics)


def routes(graph: LiteratureGraph, terms: Terms, jobs: Jobs | None = None) -> FastAPI:
    """Return the routes without middleware."""
    modules = (*uploads.MODULES, *([library.CYPHER_MODULE] if terms.cypher else ()))
    limited = LimitedProcesses(*modules)
    monitor = DatabaseMonitor(graph)
    backend = Backend(graph, TextBatches(graph), terms, limited, monitor, jobs)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        try:
            if jobs:
                jobs.start()
            limited.start()
            monitor.start()
            backend.texts.prepare(terms.space)
            yield
        finally:
            backend.texts.close()
            limited.close()
            monitor.close()
            if jobs:
                jobs.close()

    app = FastAPI(
        title="specter-graph",
        version=version("specter-graph"),
        description=ABOUT,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # their pages load scripts from other hosts
        redoc_url=None,
        lifespan=life,
        redirect_slashes=False,
    )
    app.state.backend = backend
    app.state.use = UseLog(terms.learning) if terms.learning else None
    app.state.metrics = Metrics(backend.texts.sizes)
    answer_errors(app)
    every = [search.router, papers.router, library.router, reviewers.router, operations.router]
    allowed = [library.own_cypher] if terms.cypher else []
    if jobs:
        allowed += [job_routes.router, job_routes.writing]
    for router in [*every, *allowed]:
        app.include_router(router, prefix="/v1", responses=PROBLEMS)
    pages = [page_routes.router, review_venues.router, status_pages.router]
    for router in [*pages, *([review_venues.writing, status_pages.writing] if jobs else [])]:
        app.include_router(router)
    app.mount("/static", StaticFiles(packages=[("specter_graph.service", "static")]))
    return app


class Measured:
    """Middleware that records the number and duration of requests by route."""

    def __init__(self, app: ASGIApp, routes: FastAPI, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self.routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and record its duration."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            if scope["path"].startswith("/v1/") and route != "other":
                route = "/v1" + route.removeprefix("/v1")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(route, method, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)
