"""The page Explore: a graph of the papers around one or more seeds, with a table beside it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, File, Query, Request, UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError
from specter_graph.service import paper_queries
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.models import ExploreResponse
from specter_graph.service.paper_pages import MAX_CHOICES, QueryId, Text
from specter_graph.service.paper_routes import Space
from specter_graph.service.related_papers import MAX_RELATED, MAX_SEEDS, explore
from specter_graph.service.templating import render, with_query

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Seeds = Annotated[list[QueryId], Query(max_length=MAX_SEEDS)]


@router.get("/explore")
def explore_page(
    request: Request,
    backend: BackendDep,
    id: Seeds = [],  # noqa: B006
    q: Text = "",
    space: Space = None,
) -> str:
    """Show the papers around seeds, and the papers of a search that may become seeds."""
    graph = explore(backend, id, space, MAX_RELATED) if id else None
    seeds = graph.seeds if graph else []
    return _page(request, backend, graph, seeds, q, space)


@router.post("/explore")
def seeds_from_file(
    request: Request,
    backend: BackendDep,
    file: Annotated[list[UploadFile], File(max_length=paper_queries.MAX_FILES)],
) -> Response:
    """Show the papers around those of a bibliography."""
    _, matched = paper_queries.read_files(backend, [each for each in file if each.filename])
    if not matched.ids:
        raise GraphError("no entry of the file is in the graph", "search for seeds by title")
    return RedirectResponse(explore_address(matched.ids[:MAX_SEEDS]), 303)


def explore_address(seeds: Sequence[str], space: str | None = None) -> str:
    """Return the address of the papers around seeds."""
    return with_query("/explore", id=list(seeds), space=space)


def _page(
    request: Request,
    backend: Backend,
    graph: ExploreResponse | None,
    seeds: Sequence[str],
    words: str,
    space: str | None,
) -> str:
    hits = paper_queries.search_papers(backend, words, k=MAX_CHOICES) if words.strip() else []
    return render(
        "explore.html",
        request.scope,
        graph=graph,
        seeds=seeds,
        query=words,
        choices=[
            (hit, explore_address([*seeds, hit.id][-MAX_SEEDS:], space))
            for hit in hits
            if hit.id not in seeds
        ],
        without={
            seed: explore_address([each for each in seeds if each != seed], space) for seed in seeds
        },
        source=f"/v1{explore_address(seeds, space)}",
    )
