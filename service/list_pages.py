"""Pages of reading lists: their papers with notes and tags, similar papers, and export."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.maintenance.reading_lists import MAX_NAME_LENGTH
from specter_graph.service import paper_queries
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import BackendDep
from specter_graph.service.paper_pages import QueryId
from specter_graph.service.related_papers import MAX_SEEDS
from specter_graph.service.templating import render, with_query

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

MAX_RECOMMENDED = 10
MAX_NOTE_LENGTH = 10_000
MEDIA_TYPES = {
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "json": "application/vnd.citationstyles.csl+json",
    "md": "text/markdown; charset=utf-8",
}
ListName = Annotated[str, Query(max_length=MAX_NAME_LENGTH)]
FormName = Annotated[str, Form(max_length=MAX_NAME_LENGTH)]
FormId = Annotated[str, Form(max_length=500)]


@router.get("/lists")
def lists(
    request: Request,
    backend: BackendDep,
    may_write: MayWriteDep,
    name: ListName = "",
    save: QueryId = "",
) -> str:
    """Show all reading lists, one of them, or a form that saves a paper to a list."""
    reading_lists = backend.graph.lists
    entries = reading_lists.entries(name) if name else []
    similar = None
    if name:
        try:
            similar = reading_lists.recommend(name, k=MAX_RECOMMENDED)
        except (InputError, GraphError):  # no paper with a record, or none with a vector
            similar = []
    return render(
        "lists.html",
        request.scope,
        lists=reading_lists.all(),
        name=name,
        entries=entries,
        similar=similar,
        papers=paper_queries.titles_and_authors(backend, similar or []),
        explore=with_query("/explore", id=[entry.id for entry in entries[:MAX_SEEDS]]),
        saved=paper_queries.paper(backend, save) if save else None,
        formats=MEDIA_TYPES,
        may_write=may_write and backend.jobs is not None,
        max_name_length=MAX_NAME_LENGTH,
    )


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


@write_router.post("/lists")
def create(backend: BackendDep, name: FormName = "", description: FormName = "") -> Response:
    """Create a reading list."""
    backend.graph.lists.create(name, description.strip() or None)
    return _list_page(name)


@write_router.post("/lists/add")
def add(
    backend: BackendDep,
    id: FormId,
    name: FormName = "",
    new: FormName = "",
    note: Annotated[str, Form(max_length=MAX_NOTE_LENGTH)] = "",
) -> Response:
    """Save a paper to a reading list, which may be new."""
    if new.strip():
        name = new
        backend.graph.lists.create(name)
    backend.graph.lists.add(name.strip(), [id], note=note.strip() or None)
    return _list_page(name)


@write_router.post("/lists/note")
def change_note(
    backend: BackendDep,
    id: FormId,
    name: FormName,
    note: Annotated[str, Form(max_length=MAX_NOTE_LENGTH)] = "",
) -> Response:
    """Replace the note of a paper in a reading list, or remove it if the new one is empty."""
    backend.graph.lists.add(name, [id], note=note.strip())
    return _list_page(name)


@write_router.post("/lists/remove")
def remove(backend: BackendDep, id: FormId, name: FormName) -> Response:
    """Remove a paper from a reading list."""
    backend.graph.lists.remove(name, [id])
    return _list_page(name)


def _list_page(name: str) -> Response:
    return RedirectResponse(with_query("/lists", name=name.strip()), 303)
