"""Routes that ask with words, or with two papers: search, path, compare, missing references."""

from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile

from specter_graph.graph.search import Mode
from specter_graph.service.models import (
    EXAMPLE,
    Comparison,
    Draft,
    Hit,
    Ids,
    MissingReferences,
    NamedAuthor,
    Paths,
    Search,
)
from specter_graph.service.views import papers as queries
from specter_graph.service.web.dependencies import TheBackend, TheFilters, Year
from specter_graph.service.web.templates import with_query

router = APIRouter(tags=["ask"])

UNTIL = "The last year of papers to find; for a paper, by default its own year."
Space = Annotated[str | None, Query(max_length=100, description="An embedding space.")]
K = Annotated[int, Query(ge=1, le=200, description="How many papers.")]
Offset = Annotated[int, Query(ge=0, le=queries.FARTHEST, description="How many to pass over.")]
Until = Annotated[Year, Query(description=UNTIL)]
PaperId = Annotated[str, Query(max_length=500, examples=[EXAMPLE])]


@router.get("/search")
def search(
    backend: TheBackend,
    filters: TheFilters,
    q: Annotated[str, Query(max_length=10_000, examples=["neutrino oscillations in matter"])],
    k: K = 10,
    offset: Offset = 0,
    space: Space = None,
    mode: Annotated[Mode | None, Query(description="The signals to rank by.")] = None,
) -> Search:
    """Find papers by words, vectors and citations, or by what the query names."""
    results = queries.results(backend, q, space, offset + k + 1, k, filters, mode)
    after = with_query(
        "/v1/search", q=q, k=k, offset=offset + k, space=space, mode=mode, **filters.parameters
    )
    return Search(
        query=q,
        space=backend.space(space),
        offset=offset,
        next=after if len(results) > offset + k and offset + k <= queries.FARTHEST else None,
        authors=[NamedAuthor.model_validate(each) for each in results.authors],
        did_you_mean=results.did_you_mean,
        notes=list(results.notes),
        hits=[Hit.model_validate(each) for each in results[offset : offset + k]],
    )


@router.get("/path")
def path(
    backend: TheBackend,
    start: Annotated[PaperId, Query(alias="from", description="Where it starts.")],
    end: Annotated[PaperId, Query(alias="to", description="Where it ends.")],
    space: Space = None,
) -> Paths:
    """Find the shortest citation paths between two papers that stay on topic best."""
    return Paths(paths=queries.paths(backend, start, end, space))


@router.get("/compare")
def compare(backend: TheBackend, a: PaperId, b: PaperId, space: Space = None) -> Comparison:
    """Compare two papers by every signal; the path is the one that stays on topic in `space`."""
    return queries.comparison(backend, a, b, space)


@router.get("/missing-references")
def missing_references_of(
    backend: TheBackend, id: PaperId, until: Until = None, k: K = 10, space: Space = None
) -> MissingReferences:
    """Find references that a paper of the graph may lack."""
    return queries.missing(backend, Draft(id=id, until=until, k=k, space=space))


@router.post("/missing-references")
def missing_references(backend: TheBackend, draft: Draft) -> MissingReferences:
    """Find references that a draft may lack."""
    return queries.missing(backend, draft)


@router.post("/missing-references/bibliography")
def missing_references_of_bibliography(
    backend: TheBackend,
    file: Annotated[
        list[UploadFile],
        File(
            max_length=queries.MAX_FILES,
            description="BibTeX (.bib), RIS (.ris), CSL (.json), LaTeX (.tex).",
        ),
    ],
    text: Annotated[str, Form(max_length=20_000, description="A title and abstract.")] = "",
    id: Annotated[str, Form(max_length=500, description="A paper of the graph.")] = "",
    cites: Annotated[Ids, Form(description="Papers that the draft cites.")] = [],  # noqa: B006
    until: Annotated[Year, Form(description=UNTIL)] = None,
    k: Annotated[int, Form(ge=1, le=200)] = 10,
    space: Annotated[str | None, Form(max_length=100)] = None,
) -> MissingReferences:
    """Find references that a draft may lack, from its files: its bibliography, its LaTeX."""
    draft = Draft(text=text, id=id or None, cites=cites, until=until, k=k, space=space)
    return queries.missing(backend, draft, file)
