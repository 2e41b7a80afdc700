"""Routes that ask with words, or with two papers: search, path, compare, missing references."""

from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile

from specter_graph.graph.search import Way
from specter_graph.service import answers, models
from specter_graph.service.backend import TheBackend, TheFilters
from specter_graph.service.templates import with_query

router = APIRouter(tags=["ask"])

Space = Annotated[str | None, Query(max_length=100, description="An embedding space.")]
K = Annotated[int, Query(ge=1, le=200, description="How many papers.")]
Offset = Annotated[int, Query(ge=0, le=answers.FARTHEST, description="How many to pass over.")]
PaperId = Annotated[str, Query(max_length=500, examples=[models.EXAMPLE])]


@router.get("/search")
def search(
    backend: TheBackend,
    filters: TheFilters,
    q: Annotated[str, Query(max_length=10_000, examples=["neutrino oscillations in matter"])],
    k: K = 10,
    offset: Offset = 0,
    space: Space = None,
    signal: Annotated[Way | None, Query(description="By default all, fused.")] = None,
) -> models.Search:
    """Find papers by words, vectors and citations at once, each with the reasons."""
    found = answers.found(backend, q, space, offset + k + 1, k, filters, signal)
    after = with_query(
        "/v1/search", q=q, k=k, offset=offset + k, space=space, signal=signal, **filters.parameters
    )
    return models.Search(
        query=q,
        space=backend.space(space),
        offset=offset,
        next=after if len(found) > offset + k and offset + k <= answers.FARTHEST else None,
        hits=[models.Found.model_validate(each) for each in found[offset : offset + k]],
    )


@router.get("/path")
def path(
    backend: TheBackend,
    start: Annotated[PaperId, Query(alias="from", description="Where it starts.")],
    end: Annotated[PaperId, Query(alias="to", description="Where it ends.")],
    space: Space = None,
) -> models.Paths:
    """Find the shortest citation paths between two papers that stay on topic best."""
    return models.Paths(paths=answers.paths(backend, start, end, space))


@router.get("/compare")
def compare(backend: TheBackend, a: PaperId, b: PaperId, space: Space = None) -> models.Comparison:
    """Compare two papers by every signal; the path is the one that stays on topic in `space`."""
    return answers.comparison(backend, a, b, space)


@router.get("/missing-references")
def missing_references_of(
    backend: TheBackend, id: PaperId, k: K = 10, space: Space = None
) -> models.MissingReferences:
    """Find papers near a paper that it does not cite within two hops."""
    return answers.missing(backend, models.Draft(id=id, k=k, space=space))


@router.post("/missing-references")
def missing_references(backend: TheBackend, draft: models.Draft) -> models.MissingReferences:
    """Find what a draft should cite and does not, from its text and what it cites so far."""
    return answers.missing(backend, draft)


@router.post("/missing-references/bibliography")
def missing_references_of_bibliography(
    backend: TheBackend,
    file: Annotated[UploadFile, File(description="BibTeX (.bib), RIS (.ris), CSL (.json).")],
    text: Annotated[str, Form(max_length=20_000, description="An abstract, if there is.")] = "",
    k: Annotated[int, Form(ge=1, le=200)] = 10,
    space: Annotated[str | None, Form(max_length=100)] = None,
) -> models.MissingReferences:
    """Find what a bibliography, with or without a text, has missed."""
    matched = answers.matched(backend, file.filename or "", file.file.read())
    return answers.missing(backend, models.Draft(text=text, k=k, space=space), matched)
