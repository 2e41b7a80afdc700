"""Routes of the graph and the service: spaces, library queries, Cypher, health and metrics."""

import gzip
import re
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import JSONResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import library
from specter_graph.graph.contents import GraphCounts
from specter_graph.graph.database import timeout_error
from specter_graph.graph.queries.cypher import to_json_value
from specter_graph.service.dependencies import BackendDep
from specter_graph.service.models import (
    CypherRequest,
    HealthResponse,
    LibraryQuery,
    LivenessResponse,
    MapResponse,
    RowsResponse,
    SpaceResponse,
)
from specter_graph.service.paper_queries import current_map
from specter_graph.service.paper_routes import Space

router = APIRouter(tags=["graph"])
cypher_router = APIRouter(tags=["graph"])
operations_router = APIRouter(tags=["operations"])

CYPHER_MODULE = "specter_graph.graph.queries.cypher"
"""Module that a limited process imports to run the Cypher of callers."""

_ACCEPTS_GZIP = re.compile(r"gzip(?!\s*;\s*q=0(?![.\d]*[1-9]))", re.IGNORECASE)


@router.get("/spaces")
def spaces(backend: BackendDep) -> list[SpaceResponse]:
    """List the embedding spaces."""
    return [SpaceResponse.model_validate(space) for space in backend.graph.spaces.list()]


@router.get("/stats")
def stats(backend: BackendDep) -> GraphCounts:
    """Count the nodes and relationships of the graph."""
    return backend.graph.stats()


@router.get("/queries")
def queries() -> list[LibraryQuery]:
    """List the queries of the library."""
    return [LibraryQuery.model_validate(query) for query in library()]


_QUERY_PARAMETERS = {
    "name": "parameters",
    "in": "query",
    "description": "The parameters of the query, see /v1/queries: one parameter of the URL each.",
    "required": False,
    "style": "form",
    "explode": True,
    "schema": {"type": "object", "additionalProperties": {"type": "string"}},
}


@router.get("/queries/{name}", openapi_extra={"parameters": [_QUERY_PARAMETERS]})
def query(
    request: Request,
    backend: BackendDep,
    name: Annotated[str, Path(examples=["ancestors"], description="Name of a query.")],
) -> RowsResponse:
    """Run a query of the library; its parameters are those of the URL."""
    answer = backend.query(name, dict(request.query_params))
    rows = [[to_json_value(row[column]) for column in answer.columns] for row in answer.rows]
    return RowsResponse(columns=answer.columns, rows=rows, is_truncated=answer.is_truncated)


@router.get("/map", response_model=MapResponse)
def corpus_map(request: Request, backend: BackendDep, space: Space = None) -> Response:
    """Return the map of a space: a position, year, field and topic for each paper, by column."""
    name = backend.space(space)
    file = current_map(backend, name)
    if file is None:
        raise GraphError(
            f"the space {name!r} has no map",
            f"specter-graph spaces map --space {name}{backend.database.option}",
        )
    compressed = file.read_bytes()
    if _ACCEPTS_GZIP.search(request.headers.get("accept-encoding", "")):
        headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(compressed, headers=headers, media_type="application/json")
    return Response(gzip.decompress(compressed), media_type="application/json")


@cypher_router.post("/cypher", response_model=RowsResponse)
def cypher(backend: BackendDep, request: CypherRequest) -> Response:
    """Run a read-only Cypher query, which may contain `{{k nearest to ...}}`."""
    settings = backend.settings
    db = backend.database
    try:
        result = backend.limited.run(
            f"{CYPHER_MODULE}:run_untrusted_as_json",
            *(db.login, db.name, request.query, request.parameters),
            *(settings.timeout, settings.limit),
            timeout=settings.timeout + 2,
        )
    except TimeoutError as error:
        raise timeout_error(error, settings.timeout) or error from error
    except MemoryError as error:
        raise InputError("a row of the result is too large", "return less of it") from error
    return Response(result, media_type="application/json")


@operations_router.get("/healthz/live")
def live() -> LivenessResponse:
    """Report that the service is running."""
    return LivenessResponse(live=True)


@operations_router.get(
    "/healthz/ready", response_model=HealthResponse, responses={503: {"model": HealthResponse}}
)
async def ready(backend: BackendDep) -> Response:
    """Report whether the database answers."""
    health = HealthResponse(live=True, ready=backend.monitor.is_up)
    return JSONResponse(health.model_dump(), 200 if health.ready else 503)


@operations_router.get("/metrics", include_in_schema=False)
def metrics(backend: BackendDep) -> Response:
    """Return the metrics in the Prometheus text format."""
    return Response(backend.metrics.text(), media_type=backend.metrics.media_type)
