"""The page of a paper, whose tabs are links."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.export.references import references
from specter_graph.graph.search.hits import SearchHit, add_details, links
from specter_graph.service import paper_queries
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.models import DraftRequest, PaperResponse
from specter_graph.service.paper_pages import ShownListId, space_order
from specter_graph.service.paper_queries import MAX_RELATED, Signals, lineage, related
from specter_graph.service.paper_routes import Offset, PathId
from specter_graph.service.service_settings import RECOMMENDER
from specter_graph.service.templating import RenderDep, quote_id, with_query
from specter_graph.service.usage_recorder import SessionLog, SessionLogDep

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Tab = Literal["similar", "references", "citations", "lineage", "missing", "reviewers"]
Grouping = Literal["topic", "year"]

MAX_SIMILAR = 15
MAX_CANDIDATES = 32
"""Number of nearest papers that the recommender ranks."""
MAX_LISTED = 100
"""References or citations of a page."""
MAX_LINEAGE = 10
MAX_SUGGESTED = 10
"""Maximum number of missing references, and of reviewers."""
_NO_GROUP = {"topic": "No topic", "year": "Year unknown"}
_STUBS = "Not in this corpus"


@router.get("/papers/{id:path}")
def paper(
    render: RenderDep,
    backend: BackendDep,
    log: SessionLogDep,
    id: PathId,
    list: ShownListId = None,
    place: Annotated[int, Query(ge=0, le=1_000)] = 0,
    tab: Tab = "similar",
    by: Annotated[str, Query(max_length=100)] = "",
    group: Grouping = "topic",
    offset: Offset = 0,
) -> Any:  # noqa: ANN401, a page or a redirect to it
    """Show a paper with one of its tabs."""
    if list:
        if log:
            log.clicked(list, place, id)
        return RedirectResponse(f"/papers/{quote_id(id)}", 303)
    paper = paper_queries.paper(backend, id)
    if paper.id != id:
        return RedirectResponse(f"/papers/{quote_id(paper.id)}")
    if log:
        log.opened(id)
    spaces = [name for name in space_order(backend) if name in paper.spaces]
    tabs = _tabs(paper, spaces)
    if tab not in tabs:
        tab = "similar"
    values: Mapping[str, Any]
    if tab == "similar":
        values = _similar_tab(backend, log, id, spaces, by)
    elif tab in ("references", "citations"):
        values = _citations_tab(backend, paper, tab, group, offset)
    elif tab == "lineage":
        near = related(backend, [id], backend.default_space, MAX_RELATED)
        values = {"lineage": lineage(backend, [id, *(hit.id for hit in near)], MAX_LINEAGE)}
    elif tab == "missing":
        draft = DraftRequest(id=id, k=MAX_SUGGESTED, space=spaces[0])
        values = {"hits": paper_queries.missing(backend, draft).hits}
    else:
        parameters = {"id": id, "k": MAX_SUGGESTED, "space": spaces[0]}
        values = {"authors": backend.query("other_authors", parameters).rows}
    return render(
        "paper.html",
        paper=paper,
        links=links(id, paper.doi, paper.arxiv_id, paper.pubmed_id, paper.url),
        bibtex=references(backend.database, [id], ".bib").strip(),
        tab=tab,
        tabs=tabs,
        **values,
    )


def _tabs(paper: PaperResponse, spaces: Sequence[str]) -> dict[str, str]:
    """Return the titles of the tabs by name."""
    tabs = {
        "similar": "Similar papers",
        "references": f"References ({paper.references:,})" if paper.references else "",
        "citations": f"Cited by ({paper.citations:,})" if paper.citations else "",
        "lineage": "Prior and derivative works",
        "missing": "Missing references" if spaces else "",
        "reviewers": "Possible reviewers" if spaces else "",
    }
    return {name: title for name, title in tabs.items() if title}


def _citations_tab(
    backend: Backend,
    paper: PaperResponse,
    kind: Literal["references", "citations"],
    group: Grouping,
    offset: int,
) -> dict[str, Any]:
    """Group references or citations by topic or year, the largest topic or newest year first.

    Stubs are the last group: they have only an id.
    """
    space = backend.default_space
    given = {"id": paper.id, "kind": kind, "space": space}
    rows = backend.rows("linked_papers", **given, offset=offset, k=MAX_LISTED)
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: -(row["year"] or 0)):
        name = _STUBS if row["title"] is None else row[group] or _NO_GROUP[group]
        groups[name].append(row)

    def order(name: Any) -> tuple[bool, bool, float]:  # noqa: ANN401, a topic or a year
        size = -name if isinstance(name, int) else -len(groups[name])
        return name == _STUBS, name == _NO_GROUP[group], size

    address = f"/papers/{quote_id(paper.id)}"
    after = offset + MAX_LISTED
    return {
        "groups": [(name, groups[name]) for name in sorted(groups, key=order)],
        "group": group,
        "offset": offset,
        "after": with_query(address, tab=kind, group=group, offset=after)
        if after < getattr(paper, kind) and after <= paper_queries.MAX_OFFSET
        else None,
    }


def _similar_tab(
    backend: Backend, log: SessionLog | None, id: str, spaces: Sequence[str], by: str
) -> dict[str, Any]:
    """Return the chosen list of similar papers, and the other lists that the reader may choose."""
    choices = _choices(backend, log, spaces)
    chosen = by if by in choices else next(iter(choices))
    list_name = None
    if chosen in ("citations", "both"):
        signals: Signals = "both" if chosen == "both" else "citations"
        near = related(backend, [id], backend.default_space, MAX_SIMILAR, signals)
        hits: Sequence[SearchHit] = add_details(backend.database, near)
    else:
        hits, list_name = _space_list(backend, log, id, chosen)
    return {
        "choices": choices,
        "chosen": chosen,
        "hits": hits,
        "list_name": list_name,
    }


def _choices(backend: Backend, log: SessionLog | None, spaces: Sequence[str]) -> dict[str, str]:
    """Return the titles of the lists of similar papers by name, the default one first."""
    default, names = backend.default_space, [*spaces]
    choices: dict[str, str] = {}
    if backend.recommender and backend.recommender.space in names:
        names.insert(0, RECOMMENDER)
    challenger = log.challenger_space if log else None
    if challenger and {default, challenger} <= {*names}:
        choices["interleaved"] = f"{default} and {challenger}"
        names = [name for name in names if name not in (default, challenger)]
    arms = log.arms(default) if log else None
    if arms and {*arms} <= {*names}:
        choices["experiment"] = " or ".join(arms)
        names = [name for name in names if name not in arms]
    choices |= {name: "text" if name == default else name for name in names[:1]}
    choices |= {"citations": "citations"} | ({"both": "both"} if spaces else {})
    return choices | {name: name for name in names[1:]}


def _space_list(
    backend: Backend, log: SessionLog | None, id: str, name: str
) -> tuple[Sequence[SearchHit], str | None]:
    """Return the similar papers of a space or an experiment, and the name in the usage log."""
    default = backend.default_space

    def similar(space: str) -> list[SearchHit]:
        if backend.recommender and space == RECOMMENDER:
            return _list_recommended(backend, backend.recommender, id)
        return backend.graph.similar(id, space=space, k=MAX_SIMILAR)

    if log is None:
        return similar(name), None
    if name == "interleaved" and (challenger := log.challenger_space):
        both = log.interleaved(id, similar(default), similar(challenger), (default, challenger))
        both = both[:MAX_SIMILAR]
        hits = [hit for hit, _ in both]
        return hits, log.shown("similar", id, hits, [space for _, space in both])
    arms = log.arms(default) if name == "experiment" else None
    arm = log.arm(arms) if arms else name
    hits = log.swapped(f"{arm} {id}", similar(arm))
    return hits, log.shown("similar", id, hits, [arm] * len(hits), arms)


def _list_recommended(backend: Backend, recommender: Recommender, id: str) -> list[SearchHit]:
    """Return the papers near a paper that the recommender ranks first."""
    nearest = backend.graph.similar(id, space=recommender.space, k=MAX_CANDIDATES)
    hits = {hit.id: hit for hit in nearest}
    ranked = recommender.rank(backend.database, id, [*hits])
    return [hits[paper] for paper in ranked[:MAX_SIMILAR]]
