"""Routes of one paper, and of one author. An id may have slashes: what follows it comes first."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from specter_graph.graph.queries.library import current_ids
from specter_graph.service.models import (
    EXAMPLE,
    Author,
    Citations,
    Cited,
    Hit,
    Hits,
    Neighbourhood,
    Paper,
)
from specter_graph.service.routes.search import K, Offset, Space
from specter_graph.service.views import papers as queries
from specter_graph.service.web.dependencies import Backend, TheBackend, TheFilters
from specter_graph.service.web.templates import path

router = APIRouter(tags=["papers"])

NDJSON = "application/x-ndjson"
PaperId = Annotated[str, Path(max_length=500, examples=[EXAMPLE])]
_NO_LIMIT = 1_000_000_000
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": {NDJSON: {}}, "description": f"All of them with Accept: {NDJSON}, or a page."}
}


@router.get("/papers/{id:path}/similar")
def similar(
    backend: TheBackend, filters: TheFilters, id: PaperId, k: K = 10, space: Space = None
) -> Hits:
    """Find the papers nearest to a paper, of those that pass the filters."""
    space_name = backend.space(space)
    hits = backend.graph.similar(id, space=space_name, k=k, filters=filters)
    return Hits(space=space_name, hits=[Hit.model_validate(each) for each in hits])


@router.get("/papers/{id:path}/references", response_model=Citations, responses=_STREAMED)
def references(
    request: Request, backend: TheBackend, id: PaperId, k: K = 100, offset: Offset = 0
) -> Citations | Response:
    """List what a paper cites, the most cited first."""
    return _citations(request, backend, "references", id, k, offset)


@router.get("/papers/{id:path}/citations", response_model=Citations, responses=_STREAMED)
def citations(
    request: Request, backend: TheBackend, id: PaperId, k: K = 100, offset: Offset = 0
) -> Citations | Response:
    """List what cites a paper, the most cited first."""
    return _citations(request, backend, "citations", id, k, offset)


@router.get("/papers/{id:path}/neighbourhood")
def neighbourhood(
    backend: TheBackend,
    id: PaperId,
    hops: Annotated[int, Query(ge=1, le=queries.HOPS)] = 1,
    most: Annotated[int, Query(ge=2, le=queries.PAPERS, description="Papers at most.")] = 50,
) -> Neighbourhood:
    """List the papers within some citations of a paper, and who cites whom among them."""
    return queries.neighbourhood(backend, id, hops, most)


@router.get("/papers/{id:path}")
def paper(backend: TheBackend, id: PaperId) -> Paper:
    """Read a paper, with counts and links."""
    return queries.paper(backend, id)


@router.get("/authors/{id:path}")
def author(
    backend: TheBackend,
    id: Annotated[str, Path(max_length=500)],
    k: K = 100,
    offset: Offset = 0,
) -> Author:
    """Read an author, with co-authors and a page of papers."""
    found = queries.author(backend, id, offset, k)
    return found.model_copy(update={"next": found.next and f"/v1{found.next}"})


def _citations(
    request: Request,
    backend: Backend,
    kind: Literal["references", "citations"],
    id: str,
    k: int,
    offset: int,
) -> Citations | Response:
    [id] = current_ids(backend.database, [id])
    if NDJSON in request.headers.get("accept", ""):
        every = backend.stream(kind, id=id, offset=0, k=_NO_LIMIT)
        return StreamingResponse(_lines(every), media_type=NDJSON)
    rows = backend.rows(kind, id=id, offset=offset, k=k + 1)
    more = len(rows) > k and offset + k <= queries.FARTHEST
    after = f"/v1/papers/{path(id)}/{kind}?offset={offset + k}&k={k}" if more else None
    papers = [Cited(**row) for row in rows[:k]]
    return Citations(id=id, offset=offset, next=after, papers=papers)


def _lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
