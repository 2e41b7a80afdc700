"""Routes of what the graph is: spaces, the library's queries, counts; and Cypher, if allowed."""

import gzip
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import Statement, library
from specter_graph.graph.driver_errors import TooLongError
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.queries.cypher import plain
from specter_graph.graph.queries.library import library_query
from specter_graph.service.models import Cypher as CypherModel
from specter_graph.service.models import LibraryQuery, Rows, Stats
from specter_graph.service.models import Space as SpaceModel
from specter_graph.service.routes.search import Space
from specter_graph.service.views.maps import map_file
from specter_graph.service.web.dependencies import TheBackend

router = APIRouter(tags=["graph"])
own_cypher = APIRouter(tags=["graph"])

CYPHER_MODULE = "specter_graph.graph.queries.read_only"
"""What a limited process imports for Cypher of a caller's own."""


@router.get("/spaces")
def spaces(backend: TheBackend) -> list[SpaceModel]:
    """List the embedding spaces."""
    return [SpaceModel.model_validate(each) for each in backend.graph.spaces.list()]


@router.get("/stats")
def stats(backend: TheBackend) -> Stats:
    """Count what the graph holds."""
    return Stats.model_validate(backend.graph.stats())


@router.get("/queries")
def queries() -> list[LibraryQuery]:
    """List the queries of the library."""
    return [_library_query(each) for each in library()]


@router.get("/queries/{name}")
def query(request: Request, backend: TheBackend, name: str) -> Rows:
    """Run a query of the library; its parameters are those of the address."""
    statement = library_query(name)
    answer = backend.query(name, dict(request.query_params))
    columns = [each.name for each in statement.columns]
    rows = [[plain(row[column]) for column in columns] for row in answer.rows]
    return Rows(columns=columns, rows=rows, cut=answer.cut)


@router.get("/map", response_class=Response)
def map_of(request: Request, backend: TheBackend, space: Space = None) -> Response:
    """Where each paper stands on the map of a space, in columns; `fields` are named once."""
    record = find_space(backend.database, backend.space(space))
    folder = backend.terms.folder
    file = map_file(folder, record) if folder else None
    if file is None or not file.exists():
        raise GraphError(
            f"there is no map of {record.property!r}",
            f"specter-graph spaces map --space {record.property}{backend.database.option}",
        )
    packed = file.read_bytes()
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(packed, headers=headers, media_type="application/json")
    return Response(gzip.decompress(packed), media_type="application/json")


@own_cypher.post("/cypher", response_model=Rows)
def cypher(backend: TheBackend, asked: CypherModel) -> Response:
    """Run a query of one's own, which can only read; `{{k nearest to ...}}` works in it, too."""
    terms = backend.terms
    db = backend.database
    try:
        result = backend.limited.run(
            f"{CYPHER_MODULE}:answer",
            *(db.login, db.name, asked.query, asked.parameters, terms.seconds, terms.rows),
            seconds=terms.seconds + 2,
        )
    except TimeoutError as error:
        raise TooLongError(f"no answer within {terms.seconds:g} seconds", "a LIMIT") from error
    except MemoryError as error:
        raise InputError("a row of the answer is too large", "return less of it") from error
    return Response(result, media_type="application/json")


def _library_query(query: Statement) -> LibraryQuery:
    shown: dict[str, Any] = {
        "parameters": [asdict(each) for each in query.parameters],
        "columns": [asdict(each) for each in query.columns],
    }
    name = query.name.removeprefix("library/")
    return LibraryQuery(name=name, purpose=query.purpose, summary=query.summary, **shown)
