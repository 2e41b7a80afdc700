"""Papers, authors, and what connects them."""

from pydantic import BaseModel

from specter_graph.service.models.base import Brief


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
    pubmed_id: str | None
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
