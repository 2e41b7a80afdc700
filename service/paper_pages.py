"""Pages of papers and authors, which work without JavaScript."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from starlette.responses import HTMLResponse, RedirectResponse

from specter_graph.core.errors import GraphError, InputError, QueryTimeoutError
from specter_graph.cypher import statement
from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.export.bibtex_writer import bibtex
from specter_graph.graph.search.hits import Mode, SearchHit, links
from specter_graph.graph.search.search_filters import Filters
from specter_graph.pipelines.corpus_map import map_file
from specter_graph.service import paper_queries
from specter_graph.service.auth import MayWriteDep
from specter_graph.service.dependencies import Backend, BackendDep, FiltersDep, Year
from specter_graph.service.job_records import EmptyAsNone
from specter_graph.service.models import DraftRequest, MissingReferencesResponse
from specter_graph.service.paper_routes import Offset, Space
from specter_graph.service.service_settings import RECOMMENDER
from specter_graph.service.templating import quote_id, render, with_query
from specter_graph.service.usage_recorder import SessionLog, SessionLogDep

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

HITS_PER_PAGE = 10
MAX_SIMILAR = 8
MAX_CANDIDATES = 32
"""Number of nearest papers that the recommender ranks."""
MAX_CITATIONS = 15
MAX_TOPICS = 24
MAX_EXAMPLES = 5
"""Maximum number of examples of queries: terms of two words of the largest topics."""
MAX_CHOICES = 5
MAX_SPACES = 4
"""Maximum number of spaces whose similar papers are on the page of a paper."""

ModeQuery = Annotated[Mode | None, EmptyAsNone, Query()]
Text = Annotated[str, Query(max_length=10_000)]
QueryId = Annotated[str, Query(max_length=500)]
PathId = Annotated[str, Path(max_length=500)]
ListName = Annotated[str | None, Query(pattern="^[0-9a-f]{16}$")]


@router.get("/")
def search(
    request: Request,
    backend: BackendDep,
    log: SessionLogDep,
    filters: FiltersDep,
    q: Text = "",
    offset: Offset = 0,
    space: Space = None,
    mode: ModeQuery = None,
) -> str:
    """Search papers, with filters and explained hits; without a query, show an overview."""
    space_name = backend.space(space)
    if not q.strip():
        return _home(request, backend, space_name, filters, mode)
    end = offset + HITS_PER_PAGE
    find = partial(paper_queries.search_papers, backend, q, page=HITS_PER_PAGE, filters=filters)
    is_compared = log is not None and mode is None and space_name == backend.settings.space
    arms = log.arms(space_name) if log and is_compared else None
    if arms and RECOMMENDER in arms:
        arms = None  # it ranks similar papers only
    if log and arms:
        space_name = log.arm(arms)
    results = find(k=end + 1, space=space_name if arms else space, mode=mode)
    ranked: list[SearchHit] = results
    spaces = [space_name] * len(ranked)
    challenger = log.challenger_space if log else None
    if log and challenger and ranked and is_compared:
        others = find(k=len(ranked), space=challenger)
        interleaved = log.interleaved(q, ranked, others, (space_name, challenger))[: len(ranked)]
        ranked, spaces = [hit for hit, _ in interleaved], [name for _, name in interleaved]
    hits = ranked[offset:end]
    list_name = log.shown("search", q, hits, spaces[offset:end], arms) if log and hits else None

    def page(query: str, start: int) -> str:
        parameters = {"space": space, "mode": mode, **filters.parameters}
        return with_query("/", q=query, offset=start or None, **parameters)

    has_next = len(ranked) > end and end <= paper_queries.MAX_OFFSET
    return render(
        "search.html",
        request.scope,
        query=q,
        filters=filters,
        space=backend.space(space),
        spaces=_space_names(backend),
        mode=mode,
        stats=backend.graph.stats(),
        results=results,
        corrected=page(results.did_you_mean, 0) if results.did_you_mean else None,
        hits=hits,
        papers=paper_queries.titles_and_authors(backend, hits),
        list_name=list_name,
        offset=offset,
        before=page(q, max(0, offset - HITS_PER_PAGE)) if offset else None,
        after=page(q, end) if has_next else None,
    )


def _home(
    request: Request, backend: Backend, space: str, filters: Filters, mode: Mode | None
) -> str:
    """Show the form of a search, and the overview of the corpus."""
    counts = backend.graph.stats()
    topics = backend.graph.algorithms.topics(space)
    phrases = (next((term for term in topic.terms if " " in term), "") for topic in topics)
    return render(
        "home.html",
        request.scope,
        query="",
        filters=filters,
        mode=mode,
        space=space,
        spaces=_space_names(backend),
        stats=counts,
        topics=topics[:MAX_TOPICS],
        examples=list(filter(None, phrases))[:MAX_EXAMPLES],
        has_map=_has_map(backend, space),
        **paper_queries.overview(backend, counts),
    )


@router.get("/papers/{id:path}")
def paper(
    request: Request,
    backend: BackendDep,
    log: SessionLogDep,
    id: PathId,
    list: ListName = None,
    place: Annotated[int, Query(ge=0, le=1_000)] = 0,
) -> Any:  # noqa: ANN401, a page or a redirect to it
    """Show a paper with similar papers, references and citations."""
    if list:
        if log:
            log.clicked(list, place, id)
        return RedirectResponse(f"/papers/{quote_id(id)}", 303)
    paper = paper_queries.paper(backend, id)
    if paper.id != id:
        return RedirectResponse(f"/papers/{quote_id(paper.id)}")
    if log:
        log.opened(id)
    spaces = [name for name in _space_names(backend) if name in paper.spaces][:MAX_SPACES]
    missing: Sequence[SearchHit] = ()
    if spaces:
        with suppress(QueryTimeoutError):  # the page is useful without this list
            draft = DraftRequest(id=id, k=5, space=spaces[0])
            missing = paper_queries.missing(backend, draft).hits
    return render(
        "paper.html",
        request.scope,
        paper=paper,
        links=links(id, paper.doi, paper.arxiv_id, paper.pubmed_id, paper.url),
        similar=_similar(backend, log, id, spaces),
        bibtex=bibtex(backend.database, id).strip(),
        references=backend.rows("references", id=id, offset=0, k=MAX_CITATIONS),
        citations=backend.rows("citations", id=id, offset=0, k=MAX_CITATIONS),
        missing=missing,
        papers=paper_queries.titles_and_authors(backend, missing),
    )


@router.get("/compare")
def compare(
    request: Request, backend: BackendDep, a: QueryId = "", b: QueryId = "", space: Space = None
) -> str:
    """Show two papers by all signals, with the citation path between them.

    For a text that is not an id, show the papers of a search, of which the reader chooses one.
    """
    papers = {"a": a.strip(), "b": b.strip()}
    comparison, choices = None, {}
    if all(papers.values()):
        text = statement("maintenance/known_papers").text
        known = {row["id"] for row in backend.database.read(text, ids=[*papers.values()])}
        for name, words in papers.items():
            if words not in known:
                hits = paper_queries.search_papers(backend, words, k=MAX_CHOICES)
                choices[name] = [
                    (hit, with_query("/compare", **papers | {name: hit.id}, space=space))
                    for hit in hits
                ]
        if not choices:
            comparison = paper_queries.comparison(backend, papers["a"], papers["b"], space)
    return render("compare.html", request.scope, a=a, b=b, comparison=comparison, choices=choices)


@router.get("/authors/{id:path}")
def author(request: Request, backend: BackendDep, id: PathId, offset: Offset = 0) -> str:
    """Show an author with papers and co-authors."""
    author = paper_queries.author(backend, id, offset, 50)
    return render("author.html", request.scope, author=author)


@router.get("/missing")
def missing(
    request: Request,
    backend: BackendDep,
    id: QueryId = "",
    until: Annotated[Year, Query()] = None,
    space: Space = None,
) -> HTMLResponse:
    """Show the form for a draft, or the references that a paper may lack."""
    draft = DraftRequest(id=id or None, until=until, k=20, space=space)
    return _missing_page(request, backend, draft)


@router.post("/missing")
def missing_from_form(
    request: Request,
    backend: BackendDep,
    text: Annotated[str, Form(max_length=20_000)] = "",
    id: Annotated[str, Form(max_length=500)] = "",
    file: Annotated[list[UploadFile], File(max_length=paper_queries.MAX_FILES)] = [],  # noqa: B006
    until: Annotated[Year, Form()] = None,
    space: Annotated[str | None, Form(max_length=100)] = None,
) -> HTMLResponse:
    """Show the references that a draft may lack."""
    draft = DraftRequest(text=text, id=id.strip() or None, until=until, k=20, space=space or None)
    return _missing_page(request, backend, draft, [upload for upload in file if upload.filename])


@router.get("/map")
def corpus_map(
    request: Request, backend: BackendDep, may_write: MayWriteDep, space: Space = None
) -> str:
    """Show the map of a space, or how to create it."""
    name = backend.space(space)
    spaces = _space_names(backend)
    return render(
        "map.html",
        request.scope,
        space=name,
        spaces=spaces,
        has_map=_has_map(backend, name),
        may_write=may_write and backend.jobs is not None,
    )


def _has_map(backend: Backend, space: str) -> bool:
    """Return True if the map of a space exists."""
    records = {record.property: record for record in backend.graph.spaces.list()}
    folder = backend.settings.data_folder
    return bool(space in records and folder and map_file(folder, records[space]).exists())


def _space_names(backend: Backend) -> list[str]:
    """Return the names of all spaces: the default one, the challenger, and the others."""
    log = backend.settings.usage_log
    first = (backend.settings.space, (log.interleave or log.ab) if log else None)
    names = paper_queries.space_names(backend)
    return sorted(names, key=lambda name: (*(name != preferred for preferred in first), name))


def _similar(
    backend: Backend, log: SessionLog | None, id: str, spaces: Sequence[str]
) -> list[tuple[str, Sequence[SearchHit], str | None]]:
    """Return lists of similar papers: the title, the papers, and the name in the usage log."""
    hits_of = {name: backend.graph.similar(id, space=name, k=MAX_SIMILAR) for name in spaces}
    if backend.recommender and backend.recommender.space in hits_of:
        hits_of = {RECOMMENDER: _recommended(backend, backend.recommender, id)} | hits_of
    if log is None:
        return [(name, hits, None) for name, hits in hits_of.items()]
    lists: list[tuple[str, Sequence[SearchHit], str | None]] = []
    default, challenger = backend.settings.space, log.challenger_space
    if challenger and default in hits_of and challenger in hits_of:
        interleaved = log.interleaved(
            id, hits_of.pop(default), hits_of.pop(challenger), (default, challenger)
        )[:MAX_SIMILAR]
        hits = [hit for hit, _ in interleaved]
        list_name = log.shown("similar", id, hits, [name for _, name in interleaved])
        lists.append(("both", hits, list_name))
    arms = log.arms(default)
    if arms and {*arms} <= hits_of.keys():
        arm = log.arm(arms)
        own = [hits_of.pop(name) for name in arms][arms.index(arm)]
        hits = log.swapped(f"{arm} {id}", own)
        list_name = log.shown("similar", id, hits, [arm] * len(hits), arms)
        lists.append((" or ".join(arms), hits, list_name))
    for name, nearest in hits_of.items():
        hits = log.swapped(f"{name} {id}", nearest)
        lists.append((name, hits, log.shown("similar", id, hits, [name] * len(hits))))
    return lists


def _recommended(backend: Backend, recommender: Recommender, id: str) -> list[SearchHit]:
    """Return the papers near a paper that the recommender ranks first."""
    nearest = backend.graph.similar(id, space=recommender.space, k=MAX_CANDIDATES)
    hits = {hit.id: hit for hit in nearest}
    ranked = recommender.rank(backend.database, id, [*hits])
    return [hits[paper] for paper in ranked[:MAX_SIMILAR]]


def _missing_page(
    request: Request, backend: Backend, draft: DraftRequest, files: Sequence[UploadFile] = ()
) -> HTMLResponse:
    results: MissingReferencesResponse | None = None
    error: str | None = None
    try:
        if request.method == "POST" or draft.id:
            results = paper_queries.missing(backend, draft, files)
    except (InputError, GraphError) as raised:
        error = raised.one_line
    hits = [*results.hits, *results.outside] if results else []
    page = render(
        "missing.html",
        request.scope,
        draft=draft,
        has_file=bool(files),
        results=results,
        papers=paper_queries.titles_and_authors(backend, hits),
        error=error,
        spaces=_space_names(backend),
        space=backend.space(draft.space),
    )
    return HTMLResponse(page, 400 if error else 200)
