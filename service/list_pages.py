"""Pages of reading lists, with similar papers and export, and of the new papers of watches.

New papers are also served as a feed, in RSS 2.0 and JSON Feed 1.1.
"""

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Form, Query, Request
from pydantic import AfterValidator
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError
from specter_graph.graph.export.graphml_writer import NOT_XML
from specter_graph.graph.maintenance.reading_lists import MAX_NAME_LENGTH, require_entries
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import SearchHit
from specter_graph.groups.watches import NewPaper
from specter_graph.service import paper_queries
from specter_graph.service.auth import WriteScope
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.paper_pages import MEDIA_TYPES
from specter_graph.service.paper_queries import MAX_RANKED, MAX_SEEDS
from specter_graph.service.paper_routes import Offset, QueryId
from specter_graph.service.templating import RenderDep, environment, quote_id, with_query

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

PAPERS_PER_PAGE = 100
MAX_RECOMMENDED = 10
MAX_NOTE_LENGTH = 10_000
MAX_NEW = 100
"""Maximum number of papers on the page of new papers, and in its feed."""
ListName = Annotated[str, Query(max_length=MAX_NAME_LENGTH)]
FormName = Annotated[str, Form(max_length=MAX_NAME_LENGTH)]
FormId = Annotated[str, Form(max_length=500)]
FormOrder = Annotated[paper_queries.Order, Form()]
FormNumber = Annotated[int, Form(ge=0, le=paper_queries.MAX_OFFSET)]
"""The number of a paper in its list, from 1, to which the page returns."""
Note = Annotated[
    str,
    AfterValidator(lambda note: note.replace("\r\n", "\n")),  # as forms send line breaks
    Form(max_length=MAX_NOTE_LENGTH),
]


@router.get("/lists")
def lists(
    render: RenderDep,
    backend: BackendDep,
    name: ListName = "",
    id: Annotated[Sequence[QueryId], Query(max_length=MAX_RANKED)] = (),
    offset: Offset = 0,
    sort: paper_queries.Order = "",
) -> str:
    """Show all reading lists, one of them, or a form that saves papers to a list."""
    reading_lists = backend.graph.lists
    entries = reading_lists.entries(name) if name else []
    similar = _similar_papers(backend, name) if entries else []
    if sort:
        entries = paper_queries.sorted_papers(backend, entries, sort)
    address = partial(with_query, "/lists", name=name, sort=sort)
    following = offset + PAPERS_PER_PAGE
    return render(
        "lists.html",
        lists=reading_lists.list(name or None),
        name=name,
        total=len(entries),
        sort=sort,
        offset=offset,
        entries=entries[offset:following],
        before=address(offset=max(0, offset - PAPERS_PER_PAGE) or None) if offset else None,
        after=address(offset=following) if following < len(entries) else None,
        similar=similar,
        explore=with_query("/explore", id=[entry.id for entry in entries[:MAX_SEEDS]]),
        saved=current_ids(backend.database, [*dict.fromkeys(id)]),
        paper=paper_queries.paper(backend, id[0]) if len(id) == 1 else None,
        formats=MEDIA_TYPES,
        max_name_length=MAX_NAME_LENGTH,
    )


def _similar_papers(backend: Backend, name: str) -> Sequence[SearchHit]:
    """Return the papers similar to a reading list, searched once until the database changes."""

    def search() -> Sequence[SearchHit]:
        backend.database.read("search/await_text")
        try:
            return backend.graph.lists.recommend(name, k=MAX_RECOMMENDED)
        except GraphError:  # no paper with a record, or none with a vector
            return []

    return backend.database.shared(("similar to a list", name), search)


@router.get("/lists/export")
def export(
    backend: BackendDep, name: ListName, format: Literal["bib", "ris", "json", "md"] = "bib"
) -> Response:
    """Download a reading list with its notes, tags and citation keys."""
    with TemporaryDirectory() as folder:
        file = Path(folder, f"list.{format}")
        backend.graph.lists.export(name, file)
        content = file.read_bytes()
    headers = {"Content-Disposition": f'attachment; filename="list.{format}"'}
    return Response(content, headers=headers, media_type=MEDIA_TYPES[format])


@router.get("/new")
def new(render: RenderDep, backend: BackendDep, name: ListName = "") -> str:
    """Show the papers that watches have reported, the newest first, each once."""
    return render(
        "new.html",
        name=name,
        watches=backend.graph.watches.list(),
        papers=_reports_by_paper(backend, name),
        feeds={kind: with_query(f"/new.{kind}", name=name or None) for kind in ("rss", "json")},
    )


@router.get("/new.{kind}")
def feed(
    request: Request, backend: BackendDep, kind: Literal["rss", "json"], name: ListName = ""
) -> Response:
    """Return the papers that watches have reported as a feed: RSS 2.0 or JSON Feed 1.1."""
    base = str(request.base_url).rstrip("/")
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": f"{name or 'New papers'} · specter-graph",
        "home_page_url": base + with_query("/new", name=name or None),
        "items": [_make_item(reports, base) for reports in _reports_by_paper(backend, name)],
    }
    if kind == "json":
        return Response(orjson.dumps(feed), media_type="application/feed+json")
    rss = environment().get_template("new.rss").render(feed)
    return Response(NOT_XML.sub("", rss), media_type="application/rss+xml")


def _reports_by_paper(backend: Backend, name: str) -> Collection[Sequence[NewPaper]]:
    """Return the reports of a watch, or of all, by paper: of each paper one of each watch."""
    reports: dict[str, list[NewPaper]] = {}
    for report in backend.graph.watches.reported(name or None, limit=MAX_NEW):
        reports.setdefault(report.id, []).append(report)
    return reports.values()


def _make_item(reports: Sequence[NewPaper], base: str) -> dict[str, Any]:
    """Return a paper as an item of JSON Feed, from which the template makes one of RSS.

    The date is the time of the first report: a later report of another watch is not a new item.
    """
    paper = reports[-1]
    reasons = dict.fromkeys(report.reason for report in reports)
    facts = [", ".join(paper.authors), paper.venue, paper.year, *reasons]
    return {
        "id": f"urn:specter-graph:{quote_id(paper.id)}",
        "url": f"{base}/papers/{quote_id(paper.id)}",
        **({"external_url": paper.links[0]} if paper.links else {}),
        "title": paper.title,
        "content_text": ". ".join(str(fact) for fact in facts if fact),
        "date_published": paper.at,
        "authors": [{"name": author} for author in paper.authors],
        "tags": [report.watch for report in reports],
    }


@write_router.post("/lists")
def create(backend: BackendDep, name: FormName = "", description: FormName = "") -> Response:
    """Create a reading list."""
    backend.graph.lists.create(name, description.strip() or None)
    return _list_page(name)


@write_router.post("/lists/add")
def add(
    backend: BackendDep,
    id: Annotated[list[FormId], Form(max_length=MAX_RANKED)],
    name: FormName = "",
    new: FormName = "",
    note: Note = "",
) -> Response:
    """Save papers to a reading list, which may be new."""
    if new.strip():
        name = new
        backend.graph.lists.create(name)
    backend.graph.lists.add(name.strip(), id, note=note.strip() or None)
    return _list_page(name)


@write_router.post("/lists/note")
def change_note(
    backend: BackendDep,
    id: FormId,
    name: FormName,
    note: Note = "",
    number: FormNumber = 0,
    sort: FormOrder = "",
) -> Response:
    """Replace the note of a paper in a reading list, or remove it if the new one is empty.

    A paper that another page has removed from the list is not added again.
    """
    require_entries(backend.database, name, [id])
    backend.graph.lists.add(name, [id], note=note.strip())
    return _list_page(name, number, sort)


@write_router.post("/lists/remove")
def remove(
    backend: BackendDep,
    id: FormId,
    name: FormName,
    number: FormNumber = 0,
    sort: FormOrder = "",
) -> Response:
    """Remove a paper from a reading list."""
    change = backend.graph.lists.remove(name, [id])
    return _list_page(name, min(number, change.papers), sort)


def _list_page(name: str, number: int = 0, sort: str = "") -> Response:
    """Show a reading list at the paper of this number, from 1."""
    offset = (number - 1) // PAPERS_PER_PAGE * PAPERS_PER_PAGE if number else 0
    address = with_query("/lists", name=name.strip(), sort=sort, offset=offset or None)
    return RedirectResponse(f"{address}#paper-{number}" if number else address, 303)
