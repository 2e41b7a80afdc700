"""The routes that people read: each page whole without JavaScript, some better with it."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request, UploadFile
from pydantic import BeforeValidator
from starlette.responses import HTMLResponse, RedirectResponse

from specter_graph.errors import GraphError, InputError
from specter_graph.graph.ask import Hit
from specter_graph.graph.search import Found, Way
from specter_graph.service import answers, models
from specter_graph.service.api.asking import Offset, Space
from specter_graph.service.backend import Backend, TheBackend, TheFilters
from specter_graph.service.maps import map_file
from specter_graph.service.templates import path, render, with_query
from specter_graph.service.use import TheUse, Use

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

HITS = 10
SIMILAR = 8
LISTED = 15
SPACES = 4
"""Of a paper's page, side by side."""

Signal = Annotated[Way | None, BeforeValidator(lambda value: value or None), Query()]
Text = Annotated[str, Query(max_length=10_000)]
Id = Annotated[str, Query(max_length=500)]
InPath = Annotated[str, Path(max_length=500)]
ListName = Annotated[str | None, Query(pattern="^[0-9a-f]{16}$")]


def _names(backend: Backend) -> list[str]:
    """The spaces by name, that of the service first, then the one compared with it."""
    terms = backend.terms
    first = (terms.space, terms.learning.interleave if terms.learning else None)
    names = [each.property for each in backend.graph.spaces()]
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
    signal: Signal = None,
) -> str:
    """Search, with filters and explained hits."""
    here = backend.space(space)
    found: list[Found] = []
    spaces: list[str] = []
    if q.strip():
        found = answers.found(backend, q, space, offset + HITS + 1, HITS, filters, signal)
        spaces = [here] * len(found)
    if use and use.rival and found and signal is None and here == backend.terms.space:
        others = answers.found(backend, q, use.rival, len(found), HITS, filters)
        drawn = use.interleaved(q, found, others, (here, use.rival))[: len(found)]
        found, spaces = [each for each, _ in drawn], [of for _, of in drawn]
    hits = found[offset : offset + HITS]
    trail = use.shown("search", q, hits, spaces[offset : offset + HITS]) if use and hits else None

    def page(start: int) -> str:
        given = {"space": space, "signal": signal, **filters.parameters}
        return with_query("/", q=q, offset=start or None, **given)

    return render(
        "search.html",
        request.scope,
        query=q,
        filters=filters,
        space=here,
        spaces=_names(backend),
        signal=signal,
        signals=answers.SIGNALS,
        stats=backend.graph.stats(),
        hits=hits,
        trailed=trail,
        offset=offset,
        before=page(max(0, offset - HITS)) if offset else None,
        after=page(offset + HITS)
        if len(found) > offset + HITS and offset + HITS <= answers.FARTHEST
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
    told = answers.paper(backend, id)
    if told.id != id:
        return RedirectResponse(f"/papers/{path(told.id)}")
    if use:
        use.opened(id)
    spaces = [name for name in _names(backend) if name in told.spaces][:SPACES]
    safe = told.url and told.url.startswith(("https://", "http://"))
    missing: Sequence[models.Missing] = ()
    if spaces:
        missing = answers.missing(backend, models.Draft(id=id, k=5, space=spaces[0])).hits
    return render(
        "paper.html",
        request.scope,
        paper=told,
        link=told.url if safe else None,
        similar=_similar(backend, use, id, spaces),
        references=backend.rows("references", id=id, offset=0, k=LISTED),
        citations=backend.rows("citations", id=id, offset=0, k=LISTED),
        missing=missing,
    )


def _similar(
    backend: Backend, use: Use | None, id: str, spaces: Sequence[str]
) -> list[tuple[str, Sequence[Hit], str | None]]:
    """Lists of similar papers: what each is called, its papers, and its name in the log of use."""
    found = {name: backend.graph.similar(id, space=name, k=SIMILAR) for name in spaces}
    if use is None:
        return [(name, hits, None) for name, hits in found.items()]
    told: list[tuple[str, Sequence[Hit], str | None]] = []
    ours, rival = backend.terms.space, use.rival
    if rival and ours in found and rival in found:
        drawn = use.interleaved(id, found.pop(ours), found.pop(rival), (ours, rival))[:SIMILAR]
        hits = [each for each, _ in drawn]
        told.append(("both", hits, use.shown("similar", id, hits, [of for _, of in drawn])))
    for name, best in found.items():
        hits = use.swapped(f"{name} {id}", best)
        told.append((name, hits, use.shown("similar", id, hits, [name] * len(hits))))
    return told


@router.get("/compare")
def compare(
    request: Request, backend: TheBackend, a: Id = "", b: Id = "", space: Space = None
) -> str:
    """Show two papers by every signal, with the path of citations between them."""
    both = answers.comparison(backend, a.strip(), b.strip(), space) if a and b else None
    return render("compare.html", request.scope, a=a, b=b, both=both)


@router.get("/authors/{id:path}")
def author(request: Request, backend: TheBackend, id: InPath, offset: Offset = 0) -> str:
    """Show an author with papers and co-authors."""
    found = answers.author(backend, id, offset, 50)
    return render("author.html", request.scope, author=found)


@router.get("/missing")
def missing(request: Request, backend: TheBackend, space: Space = None) -> str:
    """Ask for an abstract or a bibliography."""
    return _missing(request, backend, space)


@router.post("/missing")
def missed(
    request: Request,
    backend: TheBackend,
    text: Annotated[str, Form(max_length=20_000)] = "",
    file: UploadFile | None = None,
    space: Annotated[str | None, Form(max_length=100)] = None,
) -> HTMLResponse:
    """Show what an abstract or a bibliography has missed."""
    said: dict[str, Any] = {"text": text}
    try:
        bib = None
        if file is not None and file.filename:
            bib = answers.matched(backend, file.filename, file.file.read())
        draft = models.Draft(text=text, k=20, space=space)
        said["found"] = answers.missing(backend, draft, bib)
    except (InputError, GraphError) as error:
        said["wrong"] = error.one_line
    page = _missing(request, backend, space, **said)
    return HTMLResponse(page, 400 if "wrong" in said else 200)


def _missing(
    request: Request,
    backend: Backend,
    space: str | None,
    text: str = "",
    found: models.MissingReferences | None = None,
    wrong: str | None = None,
) -> str:
    here = {"spaces": _names(backend), "space": backend.space(space)}
    return render("missing.html", request.scope, text=text, found=found, wrong=wrong, **here)


@router.get("/map")
def map_of(request: Request, backend: TheBackend, space: Space = None) -> str:
    """Draw the corpus, if its map has been made."""
    here = backend.space(space)
    records = {each.property: each for each in backend.graph.spaces()}
    folder = backend.terms.folder
    there = here in records and folder and map_file(folder, records[here]).exists()
    return render("map.html", request.scope, space=here, spaces=_names(backend), there=there)
