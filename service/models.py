"""What the API returns: the models that the OpenAPI document is made of."""

from typing import Any

from pydantic import BaseModel, ConfigDict

EXAMPLE = "hep-ph/9901001"


class Model(BaseModel):
    """Made of records of the other rooms as they are."""

    model_config = ConfigDict(from_attributes=True)


class Brief(Model):
    """A paper in a list; `title` is null where only the id is known."""

    id: str
    title: str | None
    year: int | None


class Hit(Brief):
    """A paper near another: `score` is 1 / (1 + distance²), `distance` Euclidean."""

    score: float
    distance: float


class Hits(BaseModel):
    """The nearest first."""

    space: str
    hits: list[Hit]


class Reason(Model):
    """Why a paper was found: its rank by a signal, and what that counts in the score."""

    signal: str
    rank: int
    share: float
    path: list[str]


class Found(Brief):
    """A paper that a search found; scores compare within one answer."""

    score: float
    distance: float | None
    reasons: list[Reason]
    snippet: str
    words: list[str]


class Search(BaseModel):
    """A page of what a search found; `next` is the address of the page after it."""

    query: str
    space: str
    offset: int
    next: str | None
    hits: list[Found]


class Person(BaseModel):
    """An author in a list."""

    id: str
    name: str | None


class Paper(BaseModel):
    """A paper; `links` are addresses of what the API tells of it."""

    id: str
    stub: bool
    title: str | None
    abstract: str | None
    year: int | None
    language: str | None
    venue: str | None
    doi: str | None
    arxiv_id: str | None
    url: str | None
    authors: list[Person]
    fields: list[str]
    references: int
    citations: int
    spaces: list[str]
    links: dict[str, str]


class Cited(Brief):
    """A paper on the other end of a citation; `citations` is how often it is cited itself."""

    citations: int
    intents: list[str]
    influential: bool | None


class Citations(BaseModel):
    """A page of them, the most cited first."""

    id: str
    offset: int
    next: str | None
    papers: list[Cited]


class Counted(Brief):
    """A paper with how often it is cited."""

    citations: int


class Neighbourhood(BaseModel):
    """Papers around one, and the citations among them: who cites, who is cited."""

    id: str
    hops: int
    cut: bool
    papers: list[Counted]
    citations: list[tuple[str, str]]


class Path(BaseModel):
    """Papers from one to another, each citing the next or cited by it."""

    ids: list[str]
    titles: list[str | None]
    steps: list[str]
    similarities: list[float] | None = None
    mean: float | None = None


class Paths(BaseModel):
    """The shortest first; none where nothing connects the two within eight citations."""

    paths: list[Path]


class Shared(BaseModel):
    """What two papers have in common: `share` is `shared` of all that either has (Jaccard)."""

    shared: int
    all: int
    share: float
    papers: list[Brief]


class Comparison(BaseModel):
    """Two papers by every signal; `similarities` are by space, null without both vectors."""

    a: Paper
    b: Paper
    a_cites_b: bool
    b_cites_a: bool
    references: Shared
    citations: Shared
    authors: list[str]
    fields: list[str]
    venue: str | None
    similarities: dict[str, float | None]
    path: Path | None


class Missing(Brief):
    """A paper that may be missing; what else is known depends on what was asked with."""

    score: float
    because: str


class MissingReferences(BaseModel):
    """What is near and not cited; `matched` of a bibliography's entries are in the graph."""

    hits: list[Missing]
    matched: list[str]
    unmatched: list[str]


class Draft(BaseModel):
    """What has been written so far: its text, or the id of a paper, and what it cites."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Solar neutrinos oscillate in matter.", "k": 5}]}
    )

    text: str = ""
    id: str | None = None
    cites: list[str] = []
    space: str | None = None
    k: int = 10


class AuthorPapers(Person):
    """A co-author, with how many papers the two wrote together."""

    papers: int


class Author(Person):
    """An author with a page of the papers, the newest first."""

    orcid: str | None
    affiliations: list[str]
    papers: int
    citations: int
    coauthors: list[AuthorPapers]
    offset: int
    next: str | None
    works: list[Counted]


class Space(Model):
    """An embedding space: where its vectors came from."""

    property: str
    kind: str
    dimension: int
    base: str
    pooling: str
    distance: str
    sees_edges: bool
    holdout: float
    created: str


class Parameter(Model):
    """A parameter of a query of the library; `default` is JSON, null where one must be given."""

    name: str
    type: str
    text: str
    default: str | None


class Column(Model):
    """A column of what it returns."""

    name: str
    type: str
    text: str


class LibraryQuery(BaseModel):
    """A query of the library."""

    name: str
    purpose: str
    summary: str
    parameters: list[Parameter]
    columns: list[Column]


class Rows(BaseModel):
    """Rows of a query; `cut` says that there were more."""

    columns: list[str]
    rows: list[list[Any]]
    cut: bool


class Cypher(BaseModel):
    """A query of one's own."""

    query: str
    parameters: dict[str, Any] = {}


class Stats(Model):
    """How much of what the graph holds."""

    papers: int
    stubs: int
    citations: int
    citations_to_stubs: int
    authors: int
    venues: int
    fields: int
    spaces: list[str]


class Live(BaseModel):
    """That the service works."""

    live: bool


class Health(Live):
    """Whether the database answers, too."""

    ready: bool


class Problem(BaseModel):
    """An error (RFC 9457); `hint` says what to do."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    hint: str | None = None
