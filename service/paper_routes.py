"""Routes of papers and authors: search, similar papers, citations, paths, missing references.

An id may contain slashes, so `/papers/{id}` follows the routes below it.
"""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.routing import APIRoute
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match
from starlette.types import Scope

from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import Mode
from specter_graph.service import paper_queries
from specter_graph.service.dependencies import Backend, BackendDep, FiltersDep, Year
from specter_graph.service.models import (
    EXAMPLE_ID,
    PAPER_PARTS,
    AuthorResponse,
    CitationsResponse,
    CitedPaper,
    ComparisonResponse,
    DraftRequest,
    ExploreResponse,
    HitsResponse,
    MissingReferencesResponse,
    NeighborhoodResponse,
    PaperResponse,
    PathsResponse,
    SearchResponse,
)
from specter_graph.service.paper_queries import MAX_RELATED, MAX_SEEDS, DraftUpload, explore
from specter_graph.service.templating import quote_id, with_query


class _PartRoute(APIRoute):
    """A route whose last word must follow a slash of the URL, not an encoded slash of an id.

    `/papers/a%2Fsimilar` is the paper `a/similar`, but the framework decodes paths before routing.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return the match of the decoded path if the URL ends as the path of the route."""
        last = self.path.rpartition("/")[2]
        sent = scope.get("raw_path", b"").lower()
        if last in PAPER_PARTS and sent.endswith(f"%2f{last}".encode()):
            return Match.NONE, {}
        return super().matches(scope)


search_router = APIRouter(tags=["ask"])
router = APIRouter(tags=["papers"], route_class=_PartRoute)

NDJSON = "application/x-ndjson"
Space = Annotated[str | None, Query(max_length=100, description="An embedding space.")]
K = Annotated[int, Query(ge=1, le=200, description="Number of papers.")]
Offset = Annotated[
    int, Query(ge=0, le=paper_queries.MAX_OFFSET, description="Number of papers to skip.")
]
MinScore = Annotated[float, Query(ge=0, le=1, description="The lowest score of a paper.")]
Diversity = Annotated[
    float, Query(ge=0, le=1, description="The weight of differences among the papers.")
]
Until = Annotated[
    Year, Query(description="Last year of the papers to return, by default that of the paper.")
]
QueryId = Annotated[str, Query(max_length=500, examples=[EXAMPLE_ID], description="Id of a paper.")]
PathId = Annotated[
    str, Path(max_length=500, examples=[EXAMPLE_ID], description="Id, which may contain slashes.")
]
MAX_HOPS = 3
MAX_NEIGHBORS = 200
"""Maximum papers of a neighborhood; more cannot be drawn clearly."""
_NO_LIMIT = 1_000_000_000
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {NDJSON: {"schema": {"type": "string"}}},
        "description": f"A page, or all with Accept: {NDJSON}.",
    }
}


@search_router.get("/search")
def search(
    backend: BackendDep,
    filters: FiltersDep,
    q: Annotated[
        str,
        Query(
            max_length=10_000,
            examples=["neutrino oscillations in matter"],
            description="Words, a question, a name, a title or an identifier.",
        ),
    ],
    k: K = 10,
    offset: Offset = 0,
    space: Space = None,
    mode: Annotated[Mode | None, Query(description="The signals to rank by.")] = None,
    min_score: MinScore = 0.0,
    diversity: Diversity = 0.0,
) -> SearchResponse:
    """Search papers by words, vectors and citations, or by names and identifiers."""
    chosen = {"min_score": min_score, "diversity": diversity}
    results = paper_queries.search_papers(
        backend, q, space=space, k=offset + k + 1, page=k, filters=filters, mode=mode, **chosen
    )
    has_next = len(results) > offset + k and offset + k <= paper_queries.MAX_OFFSET
    given = {name: value or None for name, value in chosen.items()} | filters.parameters
    next_page = with_query(
        "/v1/search", q=q, k=k, offset=offset + k, space=space, mode=mode, **given
    )
    return SearchResponse(
        query=q,
        space=backend.space(space),
        offset=offset,
        next=next_page if has_next else None,
        authors=list(results.authors),
        did_you_mean=results.did_you_mean,
        notes=list(results.notes),
        hits=results[offset : offset + k],
    )


@search_router.get("/path")
def path(
    backend: BackendDep,
    start: Annotated[QueryId, Query(alias="from", description="First paper.")],
    end: Annotated[QueryId, Query(alias="to", description="Last paper.")],
    space: Space = None,
) -> PathsResponse:
    """Find the shortest citation paths between two papers, the most on-topic first."""
    return PathsResponse(paths=paper_queries.paths(backend, start, end, space))


@search_router.get("/compare")
def compare(backend: BackendDep, a: QueryId, b: QueryId, space: Space = None) -> ComparisonResponse:
    """Compare two papers by all signals; `space` chooses the most on-topic path."""
    return paper_queries.comparison(backend, a, b, space)


@search_router.get("/explore", response_model=ExploreResponse)
def explore_papers(
    backend: BackendDep,
    id: Annotated[list[QueryId], Query(max_length=MAX_SEEDS, description="Ids of papers.")],
    k: K = MAX_RELATED,
    space: Space = None,
) -> Response:
    """Find the papers around given papers by vectors, co-citation and common references."""
    nearby = explore(backend, id, space, k)  # FastAPI would validate it again
    return Response(nearby.model_dump_json(), media_type="application/json")


@search_router.get("/missing-references")
def missing_references_of(
    backend: BackendDep, id: QueryId, until: Until = None, k: K = 10, space: Space = None
) -> MissingReferencesResponse:
    """Find references that a paper of the graph may lack."""
    return paper_queries.missing(backend, DraftRequest(id=id, until=until, k=k, space=space))


@search_router.post("/missing-references")
def missing_references(backend: BackendDep, draft: DraftRequest) -> MissingReferencesResponse:
    """Find references that a draft may lack."""
    return paper_queries.missing(backend, draft)


@search_router.post("/missing-references/bibliography")
def missing_references_of_bibliography(
    backend: BackendDep,
    draft: Annotated[DraftUpload, Form(media_type="multipart/form-data")],
) -> MissingReferencesResponse:
    """Find references that a draft may lack, from its bibliography, LaTeX or PDF files."""
    return paper_queries.missing(backend, draft, draft.file)


@router.get("/papers/{id:path}/similar")
def similar(
    backend: BackendDep,
    filters: FiltersDep,
    id: PathId,
    k: K = 10,
    space: Space = None,
    min_score: MinScore = 0.0,
    diversity: Diversity = 0.0,
) -> HitsResponse:
    """Find the papers nearest to a paper that pass the filters."""
    space_name = backend.space(space)
    hits = backend.graph.similar(
        id, space=space_name, k=k, min_score=min_score, diversity=diversity, **filters.parameters
    )
    return HitsResponse(space=space_name, hits=hits)


@router.get("/papers/{id:path}/references", response_model=CitationsResponse, responses=_STREAMED)
def references(
    request: Request, backend: BackendDep, id: PathId, k: K = 100, offset: Offset = 0
) -> CitationsResponse | Response:
    """List the papers that a paper cites, the most cited first."""
    return _citations(request, backend, "references", id, k, offset)


@router.get("/papers/{id:path}/citations", response_model=CitationsResponse, responses=_STREAMED)
def citations(
    request: Request, backend: BackendDep, id: PathId, k: K = 100, offset: Offset = 0
) -> CitationsResponse | Response:
    """List the papers that cite a paper, the most cited first."""
    return _citations(request, backend, "citations", id, k, offset)


@router.get("/papers/{id:path}/neighborhood")
def neighborhood(
    backend: BackendDep,
    id: PathId,
    hops: Annotated[int, Query(ge=1, le=MAX_HOPS, description="Maximum distance.")] = 1,
    limit: Annotated[
        int, Query(ge=2, le=MAX_NEIGHBORS, description="Maximum number of papers.")
    ] = 50,
) -> NeighborhoodResponse:
    """Return the papers within some citations of a paper, and the citations among them.

    The most cited papers of each hop come first, up to the limit.
    """
    [id] = current_ids(backend.database, [id])
    ids, frontier, is_truncated = [id], [id], False
    for _ in range(hops):
        remaining = limit - len(ids)
        rows = backend.rows("next_to", ids=frontier, known=ids, k=remaining + 1)
        is_truncated = is_truncated or len(rows) > remaining
        frontier = [row["id"] for row in rows[:remaining]]
        ids += frontier
        if not frontier:
            break
    [row] = backend.rows("among", ids=ids)
    return NeighborhoodResponse(id=id, hops=hops, is_truncated=is_truncated, **row)


@router.get("/papers/{id:path}")
def paper(backend: BackendDep, id: PathId) -> PaperResponse:
    """Return a paper with counts and links."""
    return paper_queries.paper(backend, id)


@router.get("/authors/{id:path}")
def author(
    backend: BackendDep,
    id: Annotated[str, Path(max_length=500, description="Id, which may contain slashes.")],
    k: K = 100,
    offset: Offset = 0,
) -> AuthorResponse:
    """Return an author with co-authors and a page of papers."""
    response = paper_queries.author(backend, id, offset, k)
    return response.model_copy(update={"next": response.next and f"/v1{response.next}"})


def _citations(
    request: Request,
    backend: Backend,
    kind: Literal["references", "citations"],
    id: str,
    k: int,
    offset: int,
) -> CitationsResponse | Response:
    [id] = current_ids(backend.database, [id])
    given = {"id": id, "kind": kind, "space": backend.default_space}
    if NDJSON in request.headers.get("accept", ""):
        all_rows = backend.database.stream(
            "service/linked_papers", fetch_size=500, **given, offset=0, k=_NO_LIMIT
        )
        lines = (json.dumps(row.data(), ensure_ascii=False) + "\n" for row in all_rows)
        return StreamingResponse(lines, media_type=NDJSON)
    rows = backend.rows("linked_papers", **given, offset=offset, k=k + 1)
    has_next = len(rows) > k and offset + k <= paper_queries.MAX_OFFSET
    next_page = f"/v1/papers/{quote_id(id)}/{kind}?offset={offset + k}&k={k}" if has_next else None
    papers = [CitedPaper(**row) for row in rows[:k]]
    return CitationsResponse(id=id, offset=offset, next=next_page, papers=papers)
