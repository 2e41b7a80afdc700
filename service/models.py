"""Models of the requests and responses of the API, which define the OpenAPI document."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.service.job_records import JobRequest

EXAMPLE_ID = "hep-ph/9901001"
PaperIds: TypeAlias = Annotated[
    list[Annotated[str, Field(max_length=500)]], Field(max_length=1_000)
]


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
    influential: bool | None


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
    authors: list[AuthorSummary]
    fields: list[str]
    references: int
    citations: int
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

    `cut` is true if there are more papers.
    """

    id: str
    hops: int
    cut: bool
    papers: list[CountedPaper]
    citations: list[tuple[str, str]]


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


class ReasonResponse(_Record):
    """A sentence that explains a hit; `papers` are the ids of the papers it names, in order."""

    text: str
    papers: list[str]


class HitResponse(PaperSummary):
    """A search result.

    `score` is from 0 to 1: see docs/search.md, "Scores". `distance` is Euclidean, null if it was
    not measured. `citations` counts the papers of the graph that cite the paper. `links` are
    addresses of its text. A `stub` has no data except its id. `words` are the words of the query in
    `snippet`.
    """

    authors: list[str]
    venue: str | None
    citations: int
    doi: str | None
    arxiv_id: str | None
    pubmed_id: str | None
    links: list[str]
    stub: bool
    score: float
    distance: float | None
    reasons: list[ReasonResponse]
    snippet: str
    words: list[str]


class HitsResponse(BaseModel):
    """Similar papers, the nearest first."""

    space: str
    hits: list[HitResponse]


class AuthorMatch(_Record):
    """An author whose name is in the query; `papers` is the number of papers."""

    id: str
    name: str
    papers: int


class SearchResponse(BaseModel):
    """A page of search results; `next` is the URL of the next page.

    `authors` are the authors that the query names. `did_you_mean` is the query with corrected
    spelling, or null. `notes` are sentences about the query.
    """

    query: str
    space: str
    offset: int
    next: str | None
    authors: list[AuthorMatch]
    did_you_mean: str | None
    notes: list[str]
    hits: list[HitResponse]


class MissingReferencesResponse(BaseModel):
    """References that a draft may lack.

    `outside` are papers without a record in the graph that are often cited in the same context.
    `matched` are ids of the papers that the draft cites. `unmatched` are entries of its
    bibliography that are not in the graph.
    """

    hits: list[HitResponse]
    outside: list[HitResponse]
    matched: list[str]
    unmatched: list[str]


class DraftRequest(BaseModel):
    """A draft: a text, a paper of the graph, the papers that it cites, or several of these.

    Only papers published up to the year `until` are returned.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Solar neutrinos oscillate in matter.", "k": 5}]}
    )

    text: Annotated[str, Field(max_length=20_000)] = ""
    id: Annotated[str | None, Field(max_length=500)] = None
    cites: PaperIds = []
    until: Annotated[int | None, Field(ge=0, le=9999)] = None
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=200)] = 10


# Reviewers


class ReviewVenueCounts(_Record):
    """A conference or journal issue, with its numbers of submissions, reviewers and reviews."""

    name: str
    year: int | None
    submissions: int
    anonymous: int
    reviewers: int
    bids: int
    conflicts: int
    assigned: int


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


class SuggestedReviewer(_Record):
    """A reviewer, with the papers behind the affinity and the conflicts of interest."""

    reviewer: str
    name: str
    affinity: float
    papers: list[SuggestedPaper]
    conflicts: list[PairConflict] = Field(default_factory=list)
    assigned: bool = False


class ReviewerSuggestions(BaseModel):
    """The best reviewers of a submission; `submission` is null for a text."""

    submission: str | None
    title: str | None
    reviewers: list[SuggestedReviewer]


class MatchRequest(BaseModel):
    """A text, or ids of submissions of the venue."""

    venue: Annotated[str, Field(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"])]
    text: Annotated[str, Field(max_length=20_000, examples=["Jets of quarks and gluons"])] = ""
    submissions: Annotated[list[str], Field(max_length=50)] = []
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=50)] = 5

    @model_validator(mode="after")
    def _check_alternatives(self) -> "MatchRequest":
        if bool(self.text.strip()) == bool(self.submissions):
            raise ValueError("give either a text or submissions")
        return self


# The graph and the service


class SpaceResponse(_Record):
    """An embedding space and the origin of its vectors."""

    property: str
    kind: str
    dimension: int
    base: str
    pooling: str
    distance: str
    sees_edges: bool
    holdout: float
    created: str


class QueryParameter(_Record):
    """A parameter of a library query; `default` is JSON, null if the parameter is required."""

    name: str
    type: str
    text: str
    default: str | None


class QueryColumn(_Record):
    """A column of the rows of a library query."""

    name: str
    type: str
    text: str


class LibraryQuery(BaseModel):
    """A query of the library."""

    name: str
    purpose: str
    summary: str
    parameters: list[QueryParameter]
    columns: list[QueryColumn]


class RowsResponse(BaseModel):
    """Rows of a query; `cut` is true if there are more."""

    columns: list[str]
    rows: list[list[Any]]
    cut: bool


class CypherRequest(BaseModel):
    """A Cypher query of the caller."""

    query: str
    parameters: dict[str, Any] = {}


class StatsResponse(_Record):
    """Numbers of nodes and relationships in the graph."""

    papers: int
    stubs: int
    citations: int
    citations_to_stubs: int
    authors: int
    venues: int
    fields: int
    spaces: list[str]


class LivenessResponse(BaseModel):
    """Whether the service is running."""

    live: bool


class HealthResponse(LivenessResponse):
    """Whether the service can answer requests."""

    ready: bool


# Background jobs


class JobProgress(_Record):
    """Progress of the current stage of a job; `total` is null if it is unknown."""

    stage: str
    done: int
    total: int | None


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
    progress: JobProgress | None
    error: str | None
    files: dict[str, str]
    log: str | None
