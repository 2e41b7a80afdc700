"""Models of the requests and responses of the API, which define the OpenAPI document.

Results of the packages that are complete and public are part of responses as they are.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from specter_graph.cypher import Column, Parameter
from specter_graph.graph.reviewing.venue_data import MAX_VENUE_NAME_LENGTH
from specter_graph.graph.search.author_names import NamedAuthor
from specter_graph.graph.search.hits import SearchHit
from specter_graph.loaders.review_records import REVIEWER
from specter_graph.service.job_records import JobRequest, StageProgress

EXAMPLE_ID = "hep-ph/9901001"
PAPER_PARTS = ("similar", "references", "citations", "neighborhood")
"""Names of the routes below a paper."""
PaperIds: TypeAlias = Annotated[
    list[Annotated[str, Field(max_length=500)]], Field(max_length=1_000)
]


def paper_path(id: str) -> str:
    """Return the path of a paper below /v1, in which only a slash before a part is encoded."""
    before, slash, last = id.rpartition("/")
    if slash and last in PAPER_PARTS:
        return f"papers/{quote(before, safe='/:')}%2F{last}"
    return f"papers/{quote(id, safe='/:')}"


class _Record(BaseModel):
    """A model that is built from a record with the same attributes."""

    model_config = ConfigDict(from_attributes=True)


class ProblemDetails(BaseModel):
    """An error (RFC 9457); `hint` says what to do."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    hint: str | None = None


# Papers and authors


class PaperSummary(_Record):
    """A paper in a list; `title` is null if only the id is known."""

    id: str
    title: str | None
    year: int | None


class CountedPaper(PaperSummary):
    """A paper with the number of papers that cite it."""

    citations: int


class CitedPaper(CountedPaper):
    """A paper that cites another one or is cited by it."""

    intents: list[str]
    contexts: list[str]
    influential: bool | None
    topic: str | None


class AuthorSummary(BaseModel):
    """An author in a list."""

    id: str
    name: str | None


class Coauthor(AuthorSummary):
    """A co-author; `papers` is the number of common papers."""

    papers: int


class AuthorResponse(AuthorSummary):
    """An author with a page of papers, the newest first."""

    orcid: str | None
    affiliations: list[str]
    papers: int
    citations: int
    coauthors: list[Coauthor]
    offset: int
    next: str | None
    works: list[CountedPaper]


class YearCount(BaseModel):
    """A year, and a number of papers."""

    year: int
    papers: int


class PaperResponse(BaseModel):
    """A paper; `links` are the URLs of related resources."""

    id: str
    stub: bool
    title: str | None
    abstract: str | None
    year: int | None
    language: str | None
    venue: str | None
    doi: str | None
    arxiv_id: str | None
    pubmed_id: str | None
    url: str | None
    retracted: bool
    authors: list[AuthorSummary]
    fields: list[str]
    references: int
    citations: int
    citations_by_year: list[YearCount]
    spaces: list[str]
    links: dict[str, str]


class CitationsResponse(BaseModel):
    """A page of references or citations, the most cited first; `next` is the URL of the next."""

    id: str
    offset: int
    next: str | None
    papers: list[CitedPaper]


class NeighborhoodResponse(BaseModel):
    """Papers around a paper, and the citations among them as pairs (citing, cited).

    `is_truncated` is true if there are more papers.
    """

    id: str
    hops: int
    is_truncated: bool
    papers: list[CountedPaper]
    citations: list[tuple[str, str]]


class ExploreResponse(BaseModel):
    """Papers around seeds, the seeds first.

    `citations` are pairs (citing, cited) of these papers. `similar` are pairs of near papers with
    the cosine of their vectors.
    """

    seeds: list[str]
    space: str
    papers: list[SearchHit]
    citations: list[tuple[str, str]]
    similar: list[tuple[str, str, float]]


class CitationPath(BaseModel):
    """A path on which each paper cites the next one or is cited by it."""

    ids: list[str]
    titles: list[str | None]
    steps: list[str]
    similarities: list[float] | None = None
    mean: float | None = None


class PathsResponse(BaseModel):
    """Shortest citation paths; empty if none has at most eight citations."""

    paths: list[CitationPath]


class SharedPapers(BaseModel):
    """Papers that two papers have in common; `share` is `shared` divided by `all` (Jaccard)."""

    shared: int
    all: int
    share: float
    papers: list[PaperSummary]


class ComparisonResponse(BaseModel):
    """Two papers by all signals; a similarity is null if one paper has no vector in the space."""

    a: PaperResponse
    b: PaperResponse
    a_cites_b: bool
    b_cites_a: bool
    references: SharedPapers
    citations: SharedPapers
    authors: list[str]
    fields: list[str]
    venue: str | None
    similarities: dict[str, float | None]
    path: CitationPath | None


# Search


class _Hits(BaseModel):
    """Iteration over the hits, not over the names and values of the fields."""

    hits: list[SearchHit]

    def __iter__(self) -> Iterator[SearchHit]:  # type: ignore[override]
        return iter(self.hits)


class HitsResponse(_Hits):
    """Similar papers, the nearest first."""

    space: str


class SearchResponse(_Hits):
    """A page of search results; `next` is the URL of the next page.

    `authors` are the authors that the query names. `did_you_mean` is the query with corrected
    spelling, or null. `notes` are sentences about the query.
    """

    query: str
    space: str
    offset: int
    next: str | None
    authors: list[NamedAuthor]
    did_you_mean: str | None
    notes: list[str]


class MissingReferencesResponse(_Hits):
    """References that a draft may lack.

    `outside` are papers without a record in the graph that are often cited in the same context.
    `matched` are ids of the papers that the draft cites. `unmatched` are entries of its
    bibliography that are not in the graph, `rejected` are invalid entries with the reasons.
    """

    outside: list[SearchHit]
    matched: list[str]
    unmatched: list[str]
    rejected: list[str]


class DraftRequest(BaseModel):
    """A draft: a text, a paper of the graph, the papers that it cites, or several of these.

    Only papers published up to the year `until` are returned.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Solar neutrinos oscillate in matter.", "k": 5}]},
    )

    text: Annotated[str, Field(max_length=20_000)] = ""
    id: Annotated[str | None, StringConstraints(strip_whitespace=True, max_length=500)] = None
    cites: PaperIds = []
    until: Annotated[int | None, Field(ge=1000, le=9999)] = None
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=200)] = 10


# Reviewers


class SuggestedPaper(_Record):
    """A supporting paper of a reviewer; `archived` is true if only an archive has it."""

    id: str
    title: str
    similarity: float
    archived: bool = False


class PairConflict(_Record):
    """A conflict of interest, without its evidence, which names authors."""

    kind: str
    certain: bool


class CitationPaths(_Record):
    """Ids of papers that connect a reviewer and a submission, and their common topics.

    `cited` are papers of the reviewer that the submission cites. `shared` are pairs of a paper that
    both cite and the reviewer's paper, `two_hops` pairs of a paper that the submission cites and
    the reviewer's paper that it cites.
    """

    cited: list[str] = Field(default_factory=list)
    shared: list[tuple[str, str]] = Field(default_factory=list)
    two_hops: list[tuple[str, str]] = Field(default_factory=list)
    topics: list[str] = Field(default_factory=list)


class SuggestedReviewer(_Record):
    """A reviewer, with the reasons for the affinity and the conflicts of interest.

    `percentile` is the percentage of all pairs of the venue with a lower affinity, null if the
    venue was not scored.
    """

    reviewer: str
    name: str
    affinity: float
    papers: list[SuggestedPaper]
    percentile: float | None = None
    paths: CitationPaths = Field(default_factory=CitationPaths)
    conflicts: list[PairConflict] = Field(default_factory=list)
    assigned: bool = False


class ReviewerSuggestions(BaseModel):
    """The best reviewers of a submission; `submission` is null for a text."""

    submission: str | None
    title: str | None
    reviewers: list[SuggestedReviewer]


class MatchRequest(BaseModel, extra="forbid"):
    """A text, or ids of submissions of the venue."""

    venue: Annotated[str, Field(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"])]
    text: Annotated[str, Field(max_length=20_000, examples=["Jets of quarks and gluons"])] = ""
    submissions: Annotated[list[str], Field(max_length=50)] = []
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=50)] = 5
    name: Annotated[
        str, Field(max_length=MAX_VENUE_NAME_LENGTH, description="Name of the assignment.")
    ] = REVIEWER

    @model_validator(mode="after")
    def _check_alternatives(self) -> "MatchRequest":
        if bool(self.text.strip()) == bool(self.submissions):
            raise ValueError("give either a text or submissions")
        return self


# The graph and the service


class SpaceResponse(_Record):
    """An embedding space and the origin of its vectors."""

    name: str
    kind: str
    dimension: int
    base: str
    pooling: str
    distance: str
    sees_edges: bool
    holdout: float
    created: str


class MapLabel(BaseModel):
    """A topic at the median position of its papers."""

    name: str
    x: int
    y: int
    papers: int


class MapResponse(BaseModel):
    """The map of a space: `ids`, `x`, `y`, `year`, `field` and `topic` have one value per paper.

    Coordinates are from 0 to 65,535, which are `span` units of t-SNE. `field` and `topic` are
    positions in the lists of the most common `fields` and `topics`, -1 for others. `labels` are
    the largest topics.
    """

    space: str
    span: float
    ids: list[str]
    x: list[int]
    y: list[int]
    year: list[int | None]
    fields: list[str]
    field: list[int]
    topics: list[str]
    topic: list[int]
    labels: list[MapLabel]


class LibraryQuery(_Record):
    """A query of the library; a parameter whose default is null is required."""

    name: Annotated[str, AfterValidator(lambda name: name.removeprefix("library/"))]
    purpose: str
    summary: str
    parameters: list[Parameter]
    columns: list[Column]


class RowsResponse(BaseModel):
    """Rows of a query; `is_truncated` is true if there are more.

    `warnings` are the server's on a caller's Cypher, such as that a label does not exist.
    """

    columns: list[str]
    rows: list[list[Any]]
    is_truncated: bool
    warnings: list[str] = []


class CypherRequest(BaseModel, extra="forbid"):
    """A Cypher query of the caller."""

    query: str
    parameters: dict[str, Any] = {}


class LivenessResponse(BaseModel):
    """True if the service is running."""

    live: bool


class HealthResponse(LivenessResponse):
    """True if the service can answer requests."""

    ready: bool


# Background jobs


class JobResponse(_Record):
    """A job; `files` are URLs of the files that it created.

    `log` is the end of the output of its commands. Only callers who may start jobs get it, because
    it contains paths of the machine.
    """

    id: str
    request: JobRequest
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    created: datetime
    started: datetime | None
    ended: datetime | None
    progress: StageProgress | None
    error: str | None
    files: dict[str, str]
    log: str | None
