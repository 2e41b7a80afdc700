"""Pages of search, authors, missing references, Explore and the map; the map needs JavaScript."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.export.references import references
from specter_graph.graph.maintenance.reading_lists import MAX_NAME_LENGTH
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import Mode, SearchHit, SearchResults, add_details
from specter_graph.graph.search.query_syntax import parse
from specter_graph.service import paper_queries
from specter_graph.service.dependencies import Backend, BackendDep, FiltersDep, Year
from specter_graph.service.job_records import EmptyAsNone
from specter_graph.service.models import MissingReferencesResponse
from specter_graph.service.paper_queries import MAX_FILES, MAX_RELATED, MAX_SEEDS, DraftUpload
from specter_graph.service.paper_routes import Offset, PathId, QueryId, Space
from specter_graph.service.service_settings import RECOMMENDER
from specter_graph.service.templating import RenderDep, with_query
from specter_graph.service.usage_recorder import SessionLog, SessionLogDep

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

HITS_PER_PAGE = 10
MAX_MISSING = 40
"""References that a draft may lack, in all groups."""
MAX_TOPICS = 24
MAX_EXAMPLES = 5
"""Maximum number of examples of queries: terms of two words of the largest topics."""
MAX_CHOICES = 5
MAX_SMALL_MAP = 2_000_000
"""Maximum bytes of the map on the first page, about 150,000 papers."""

MEDIA_TYPES = {
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "json": "application/vnd.citationstyles.csl+json",
    "md": "text/markdown; charset=utf-8",
}
"""Media types of files of references, by their suffix."""

ModeQuery = Annotated[Mode | None, EmptyAsNone, Query()]
Text = Annotated[str, Query(max_length=10_000)]
Seeds = Annotated[list[QueryId], Query(max_length=MAX_SEEDS)]
ShownListId = Annotated[str | None, Query(pattern="^[0-9a-f]{16}$")]


@router.get("/")
def search(
    render: RenderDep,
    backend: BackendDep,
    log: SessionLogDep,
    filters: FiltersDep,
    q: Text = "",
    offset: Offset = 0,
    space: Space = None,
    mode: ModeQuery = None,
    sort: paper_queries.Order = "",
) -> str:
    """Search papers, with facets and explained hits; without a query, show an overview."""
    q, space_name, spaces = q.strip(), backend.space(space), space_order(backend)
    form = {"query": q, "filters": filters, "mode": mode, "space": space_name, "spaces": spaces}
    form |= {"stats": backend.graph.stats()}
    if not q:
        return render("home.html", **form, **_overview(backend, space_name, spaces))
    end = offset + HITS_PER_PAGE
    find = partial(
        paper_queries.search_papers,
        backend,
        q,
        k=max(end + 1, paper_queries.MAX_RANKED),
        space=space,
        mode=mode,
        page=HITS_PER_PAGE,
        filters=filters,
        detailed=HITS_PER_PAGE,
    )
    is_compared = mode is None and not sort and space_name == backend.default_space
    results, ranked, sources, arms = _find(find, q, space_name, log if is_compared else None)
    best = ranked[: paper_queries.MAX_RANKED]
    facets = paper_queries.facets(backend, best, space_name)
    if sort:
        ranked = paper_queries.sorted_papers(backend, best, sort)
    hits = ranked[offset:end]
    if any(hit not in results[:HITS_PER_PAGE] for hit in hits):
        hits = add_details(backend.database, hits, parse(q).words)
    list_name = log.shown("search", q, hits, sources[offset:end], arms) if log and hits else None

    parameters = {"space": space, "mode": mode, "sort": sort, **filters.parameters}

    def page(query: str, start: int = 0, **changes: object) -> str:
        return with_query("/", q=query, **parameters | {"offset": start or None} | changes)

    has_next = len(ranked) > end and end <= paper_queries.MAX_OFFSET
    return render(
        "search.html",
        **form,
        results=results,
        corrected=page(results.did_you_mean) if results.did_you_mean else None,
        ranked=len(ranked),
        facets=facets,
        address=partial(page, q),
        topic_name=next(
            (row["name"] for row in facets["topics"] if row["value"] == filters.topic),
            filters.topic,
        ),
        most=paper_queries.MAX_RANKED,
        sort=sort,
        hits=hits,
        list_name=list_name,
        offset=offset,
        before=page(q, max(0, offset - HITS_PER_PAGE)) if offset else None,
        after=page(q, end) if has_next else None,
    )


def _find(
    find: Callable[..., SearchResults], query: str, space: str, log: SessionLog | None
) -> tuple[SearchResults, Sequence[SearchHit], list[str], tuple[str, str] | None]:
    """Return results, their hits in the order of an experiment, the space of each, and the arms."""
    arms = log.arms(space) if log else None
    if arms and RECOMMENDER in arms:
        arms = None  # it ranks similar papers only
    if log and arms:
        space = log.arm(arms)
        results = find(space=space)
    else:
        results = find()
    challenger = log.challenger_space if log else None
    if not (log and challenger and results):
        return results, results, [space] * len(results), arms
    others = find(k=len(results), space=challenger)
    interleaved = log.interleaved(query, results, others, (space, challenger))[: len(results)]
    return results, [hit for hit, _ in interleaved], [name for _, name in interleaved], arms


def _overview(backend: Backend, space: str, spaces: Sequence[str]) -> dict[str, Any]:
    """Return the overview of the corpus, with the topics and the map of a space."""
    topics = backend.graph.algorithms.list_topics(space) if space in spaces else []
    phrases = (next((term for term in topic.terms if " " in term), "") for topic in topics)
    return {
        "topics": topics[:MAX_TOPICS],
        "examples": list(filter(None, phrases))[:MAX_EXAMPLES],
        "has_map": 0 < _map_size(backend, space) <= MAX_SMALL_MAP,
        **paper_queries.overview(backend),
    }


@router.get("/cite")
def cite(
    backend: BackendDep,
    id: Annotated[Sequence[QueryId], Query(max_length=paper_queries.MAX_RANKED)] = (),
    format: Literal["bib", "ris"] = "bib",
) -> Response:
    """Return papers as a file for a reference manager."""
    if not id:
        raise InputError("no paper is selected", "check the boxes beside the titles")
    papers = current_ids(backend.database, list(dict.fromkeys(id)))
    text = references(backend.database, papers, f".{format}")
    headers = {"Content-Disposition": f'attachment; filename="papers.{format}"'}
    return Response(text, headers=headers, media_type=MEDIA_TYPES[format])


@router.get("/compare")
def compare(
    render: RenderDep, backend: BackendDep, a: QueryId = "", b: QueryId = "", space: Space = None
) -> str:
    """Show two papers by all signals, with the citation path between them.

    For a text that is not an id, show the papers of a search, of which the reader chooses one.
    """
    papers = {"a": a.strip(), "b": b.strip()}
    comparison, choices = None, {}
    if all(papers.values()):
        known = {
            row["id"]
            for row in backend.database.read("maintenance/known_papers", ids=[*papers.values()])
        }
        for name, words in papers.items():
            if words not in known:
                hits = paper_queries.search_papers(backend, words, k=MAX_CHOICES)
                choices[name] = [
                    (hit, with_query("/compare", **papers | {name: hit.id}, space=space))
                    for hit in hits
                ]
        if not choices:
            comparison = paper_queries.comparison(backend, papers["a"], papers["b"], space)
    return render("compare.html", a=a, b=b, comparison=comparison, choices=choices)


@router.get("/authors/{id:path}")
def author(render: RenderDep, backend: BackendDep, id: PathId, offset: Offset = 0) -> str:
    """Show an author with papers and co-authors."""
    author = paper_queries.author(backend, id, offset, 50)
    return render("author.html", author=author)


@router.get("/missing")
def missing(
    render: RenderDep,
    backend: BackendDep,
    id: QueryId = "",
    until: Annotated[Year, Query()] = None,
    space: Space = None,
) -> str:
    """Show the form for a draft, or the references that a paper may lack."""
    draft = DraftUpload(id=id or None, until=until, k=MAX_MISSING, space=space)
    results = paper_queries.missing(backend, draft) if draft.id else None
    return _missing_page(render, backend, draft, results)


@router.post("/missing")
def missing_from_form(
    render: RenderDep, backend: BackendDep, draft: Annotated[DraftUpload, Form()]
) -> str:
    """Show the references that a draft may lack."""
    draft = draft.model_copy(update={"k": MAX_MISSING})
    results = paper_queries.missing(backend, draft, draft.file)
    return _missing_page(render, backend, draft, results)


def _missing_page(
    render: RenderDep,
    backend: Backend,
    draft: DraftUpload,
    results: MissingReferencesResponse | None,
) -> str:
    return render(
        "missing.html",
        draft=draft,
        has_file=any(upload.filename for upload in draft.file),
        results=results,
        groups=paper_queries.grouped(results.hits, draft.until) if results else [],
        spaces=space_order(backend),
        space=backend.space(draft.space),
    )


@router.get("/map")
def corpus_map(
    render: RenderDep,
    backend: BackendDep,
    space: Space = None,
    list: Annotated[str, Query(max_length=MAX_NAME_LENGTH)] = "",
) -> str:
    """Show the map of a space with the papers of a reading list marked, or how to create it."""
    name = backend.space(space)
    spaces = space_order(backend)
    entries = backend.graph.lists.entries(list) if list else []
    return render(
        "map.html",
        space=name,
        spaces=spaces,
        list=list,
        marked=[entry.id for entry in entries],
        has_map=_map_size(backend, name) > 0,
    )


def _map_size(backend: Backend, space: str) -> int:
    """Return the size of the file of a space's map in bytes, 0 if there is none."""
    file = paper_queries.current_map(backend, space)
    return file.stat().st_size if file else 0


def space_order(backend: Backend) -> list[str]:
    """Return the names of all spaces: the default one, the challenger, and the others."""
    log = backend.settings.usage_log
    first = (backend.default_space, (log.interleave or log.ab) if log else None)
    names = paper_queries.space_names(backend)
    return sorted(names, key=lambda name: (*(name != preferred for preferred in first), name))


@router.get("/explore")
def explore_page(
    render: RenderDep,
    backend: BackendDep,
    id: Seeds = [],  # noqa: B006
    q: Text = "",
    space: Space = None,
) -> str:
    """Show the papers around seeds, and the papers of a search that may become seeds."""
    seeds: list[str] = []
    papers: list[SearchHit] = []
    if id:
        seeds, papers = paper_queries.around(backend, id, backend.space(space), MAX_RELATED)
    hits = paper_queries.search_papers(backend, q, k=MAX_CHOICES) if q.strip() else []
    return render(
        "explore.html",
        papers=papers,
        seeds=seeds,
        query=q,
        choices=[
            (hit, explore_address([*seeds, hit.id][-MAX_SEEDS:], space))
            for hit in hits
            if hit.id not in seeds
        ],
        without={
            seed: explore_address([other for other in seeds if other != seed], space)
            for seed in seeds
        },
        source=f"/v1{explore_address(seeds, space)}",
    )


@router.post("/explore")
def seeds_from_file(
    backend: BackendDep, file: Annotated[list[UploadFile], File(max_length=MAX_FILES)]
) -> Response:
    """Show the papers around those of a bibliography."""
    _, matched = paper_queries.read_files(backend, [upload for upload in file if upload.filename])
    if not matched.ids:
        raise GraphError("no entry of the file is in the graph", "search for seeds by title")
    return RedirectResponse(explore_address(matched.ids[:MAX_SEEDS]), 303)


def explore_address(seeds: Sequence[str], space: str | None = None) -> str:
    """Return the address of the papers around seeds."""
    return with_query("/explore", id=list(seeds), space=space)
