"""Routes of what the graph is: spaces, the library's queries, counts; and Cypher, if allowed."""

import gzip
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from specter_graph.cypher import Statement, library
from specter_graph.errors import GraphError
from specter_graph.graph.ask import library_query
from specter_graph.graph.free_query import explain, plain, run_cypher
from specter_graph.graph.spaces import space as find_space
from specter_graph.service import models
from specter_graph.service.api.asking import Space
from specter_graph.service.backend import TheBackend
from specter_graph.service.maps import map_file
from specter_graph.service.own_cypher import require_reading_the_graph_alone

router = APIRouter(tags=["graph"])
own_cypher = APIRouter(tags=["graph"])


@router.get("/spaces")
def spaces(backend: TheBackend) -> list[models.Space]:
    """List the embedding spaces."""
    return [models.Space.model_validate(each) for each in backend.graph.spaces()]


@router.get("/stats")
def stats(backend: TheBackend) -> models.Stats:
    """Count what the graph holds."""
    return models.Stats.model_validate(backend.graph.stats())


@router.get("/queries")
def queries() -> list[models.LibraryQuery]:
    """List the queries of the library."""
    return [_told(each) for each in library()]


@router.get("/queries/{name}")
def query(request: Request, backend: TheBackend, name: str) -> models.Rows:
    """Run a query of the library; its parameters are those of the address."""
    statement = library_query(name)
    found = backend.query(name, dict(request.query_params))
    columns = [each.name for each in statement.columns]
    rows = [[plain(row[column]) for column in columns] for row in found.rows]
    return models.Rows(columns=columns, rows=rows, cut=found.cut)


@router.get("/map", response_class=Response)
def map_of(request: Request, backend: TheBackend, space: Space = None) -> Response:
    """Where each paper stands on the map of a space, in columns; `fields` are named once."""
    record = find_space(backend.database, backend.space(space))
    folder = backend.terms.folder
    file = map_file(folder, record) if folder else None
    if file is None or not file.exists():
        raise GraphError(
            f"there is no map of {record.property!r}",
            f"specter-graph map --space {record.property}{backend.database.option}",
        )
    packed = file.read_bytes()
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(packed, headers=headers, media_type="application/json")
    return Response(gzip.decompress(packed), media_type="application/json")


@own_cypher.post("/cypher")
def cypher(backend: TheBackend, asked: models.Cypher) -> models.Rows:
    """Run a query of one's own, which can only read; `{{k nearest to ...}}` works in it, too."""
    terms = backend.terms
    plan = explain(backend.database, asked.query, asked.parameters)
    require_reading_the_graph_alone(asked.query, plan)
    found = run_cypher(
        backend.database,
        asked.query,
        asked.parameters,
        seconds=terms.seconds,
        rows=terms.rows,
    )
    return models.Rows(columns=found.columns, rows=found.rows, cut=found.cut)


def _told(query: Statement) -> models.LibraryQuery:
    shown: dict[str, Any] = {
        "parameters": [asdict(each) for each in query.parameters],
        "columns": [asdict(each) for each in query.columns],
    }
    name = query.name.removeprefix("library/")
    return models.LibraryQuery(name=name, purpose=query.purpose, summary=query.summary, **shown)
