"""The routes that people read: each page whole without JavaScript, some better with it."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from starlette.responses import HTMLResponse, RedirectResponse

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.driver_errors import TooLongError
from specter_graph.graph.search import Hit, Mode, Results
from specter_graph.graph.search.results import links
from specter_graph.service.jobs.job_types import EMPTY
from specter_graph.service.models import Draft, MissingReferences
from specter_graph.service.models import Hit as HitModel
from specter_graph.service.routes.search import Offset, Space
from specter_graph.service.views import papers as queries
from specter_graph.service.views.maps import map_file
from specter_graph.service.web.dependencies import Backend, TheBackend, TheFilters, Year
from specter_graph.service.web.templates import path, render, with_query
from specter_graph.service.web.usage_log import TheUse, Use

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

HITS = 10
SIMILAR = 8
LISTED = 15
SPACES = 4
"""Of a paper's page, side by side."""

ChosenMode = Annotated[Mode | None, EMPTY, Query()]
Text = Annotated[str, Query(max_length=10_000)]
Id = Annotated[str, Query(max_length=500)]
InPath = Annotated[str, Path(max_length=500)]
ListName = Annotated[str | None, Query(pattern="^[0-9a-f]{16}$")]


def _names(backend: Backend) -> list[str]:
    """The spaces by name, that of the service first, then the one compared with it."""
    terms = backend.terms
    first = (terms.space, terms.learning.interleave if terms.learning else None)
    names = [each.property for each in backend.graph.spaces.list()]
    return sorted(names, key=lambda name: (*(name != each for each in first), name))


@router.get("/")
def search(
    request: Request,
    backend: TheBackend,
    use: TheUse,
    filters: TheFilters,
    q: Text = "",
    offset: Offset = 0,
    space: Space = None,
    mode: ChosenMode = None,
) -> str:
    """Search, with filters and explained hits."""
    here = backend.space(space)
    results = Results()
    if q.strip():
        results = queries.results(backend, q, space, offset + HITS + 1, HITS, filters, mode)
    ranked: list[Hit] = results
    spaces = [here] * len(ranked)
    if use and use.rival and ranked and mode is None and here == backend.terms.space:
        others = queries.results(backend, q, use.rival, len(ranked), HITS, filters)
        drawn = use.interleaved(q, ranked, others, (here, use.rival))[: len(ranked)]
        ranked, spaces = [each for each, _ in drawn], [of for _, of in drawn]
    hits = ranked[offset : offset + HITS]
    trail = use.shown("search", q, hits, spaces[offset : offset + HITS]) if use and hits else None

    def page(query: str, start: int) -> str:
        given = {"space": space, "mode": mode, **filters.parameters}
        return with_query("/", q=query, offset=start or None, **given)

    return render(
        "search.html",
        request.scope,
        query=q,
        filters=filters,
        space=here,
        spaces=_names(backend),
        mode=mode,
        stats=backend.graph.stats(),
        results=results,
        corrected=page(results.did_you_mean, 0) if results.did_you_mean else None,
        hits=hits,
        papers=queries.titles_and_authors(backend, hits),
        trailed=trail,
        offset=offset,
        before=page(q, max(0, offset - HITS)) if offset else None,
        after=page(q, offset + HITS)
        if len(ranked) > offset + HITS and offset + HITS <= queries.FARTHEST
        else None,
    )


@router.get("/papers/{id:path}")
def paper(
    request: Request,
    backend: TheBackend,
    use: TheUse,
    id: InPath,
    list: ListName = None,
    place: Annotated[int, Query(ge=0, le=1_000)] = 0,
) -> Any:  # noqa: ANN401, a page or where it is
    """Show a paper with what is similar, what it cites and what cites it."""
    if list:
        if use:
            use.clicked(list, place, id)
        return RedirectResponse(f"/papers/{path(id)}", 303)
    told = queries.paper(backend, id)
    if told.id != id:
        return RedirectResponse(f"/papers/{path(told.id)}")
    if use:
        use.opened(id)
    spaces = [name for name in _names(backend) if name in told.spaces][:SPACES]
    missing: Sequence[HitModel] = ()
    if spaces:
        with suppress(TooLongError):  # the page is worth reading without the list
            missing = queries.missing(backend, Draft(id=id, k=5, space=spaces[0])).hits
    return render(
        "paper.html",
        request.scope,
        paper=told,
        links=links(id, told.doi, told.arxiv_id, told.pubmed_id, told.url),
        similar=_similar(backend, use, id, spaces),
        references=backend.rows("references", id=id, offset=0, k=LISTED),
        citations=backend.rows("citations", id=id, offset=0, k=LISTED),
        missing=missing,
        papers=queries.titles_and_authors(backend, missing),
    )


def _similar(
    backend: Backend, use: Use | None, id: str, spaces: Sequence[str]
) -> list[tuple[str, Sequence[Hit], str | None]]:
    """Lists of similar papers: what each is called, its papers, and its name in the log of use."""
    lists = {name: backend.graph.similar(id, space=name, k=SIMILAR) for name in spaces}
    if use is None:
        return [(name, hits, None) for name, hits in lists.items()]
    shown_lists: list[tuple[str, Sequence[Hit], str | None]] = []
    ours, rival = backend.terms.space, use.rival
    if rival and ours in lists and rival in lists:
        drawn = use.interleaved(id, lists.pop(ours), lists.pop(rival), (ours, rival))[:SIMILAR]
        hits = [each for each, _ in drawn]
        shown_lists.append(("both", hits, use.shown("similar", id, hits, [of for _, of in drawn])))
    for name, best in lists.items():
        hits = use.swapped(f"{name} {id}", best)
        shown_lists.append((name, hits, use.shown("similar", id, hits, [name] * len(hits))))
    return shown_lists


@router.get("/compare")
def compare(
    request: Request, backend: TheBackend, a: Id = "", b: Id = "", space: Space = None
) -> str:
    """Show two papers by every signal, with the path of citations between them."""
    both = queries.comparison(backend, a.strip(), b.strip(), space) if a and b else None
    return render("compare.html", request.scope, a=a, b=b, both=both)


@router.get("/authors/{id:path}")
def author(request: Request, backend: TheBackend, id: InPath, offset: Offset = 0) -> str:
    """Show an author with papers and co-authors."""
    found = queries.author(backend, id, offset, 50)
    return render("author.html", request.scope, author=found)


@router.get("/missing")
def missing(
    request: Request,
    backend: TheBackend,
    id: Id = "",
    until: Annotated[Year, Query()] = None,
    space: Space = None,
) -> HTMLResponse:
    """Ask for a draft, or show the references that a paper may lack."""
    return _missing(request, backend, Draft(id=id or None, until=until, k=20, space=space))


@router.post("/missing")
def missing_from_form(
    request: Request,
    backend: TheBackend,
    text: Annotated[str, Form(max_length=20_000)] = "",
    id: Annotated[str, Form(max_length=500)] = "",
    file: Annotated[list[UploadFile], File(max_length=queries.MAX_FILES)] = [],  # noqa: B006
    until: Annotated[Year, Form()] = None,
    space: Annotated[str | None, Form(max_length=100)] = None,
) -> HTMLResponse:
    """Show the references that a draft may lack."""
    draft = Draft(text=text, id=id.strip() or None, until=until, k=20, space=space or None)
    return _missing(request, backend, draft, [each for each in file if each.filename])


def _missing(
    request: Request, backend: Backend, draft: Draft, files: Sequence[UploadFile] = ()
) -> HTMLResponse:
    results: MissingReferences | None = None
    wrong: str | None = None
    try:
        if request.method == "POST" or draft.id:
            results = queries.missing(backend, draft, files)
    except (InputError, GraphError) as error:
        wrong = error.one_line
    page = render(
        "missing.html",
        request.scope,
        draft=draft,
        has_file=bool(files),
        results=results,
        papers=queries.titles_and_authors(backend, [*results.hits, *results.outside])
        if results
        else {},
        wrong=wrong,
        spaces=_names(backend),
        space=backend.space(draft.space),
    )
    return HTMLResponse(page, 400 if wrong else 200)


@router.get("/map")
def map_of(request: Request, backend: TheBackend, space: Space = None) -> str:
    """Draw the corpus, if its map has been made."""
    here = backend.space(space)
    records = {each.property: each for each in backend.graph.spaces.list()}
    folder = backend.terms.folder
    there = here in records and folder and map_file(folder, records[here]).exists()
    return render("map.html", request.scope, space=here, spaces=_names(backend), there=there)
