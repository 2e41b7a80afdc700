"""Searches, similar papers, missing references: papers found, and drafts."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from specter_graph.service.models.base import Brief, Model

Ids: TypeAlias = Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=1_000)]


class Reason(Model):
    """Why a paper was found, as a sentence; `papers` are ids of those that it names, in order."""

    text: str
    papers: list[str]


class Hit(Brief):
    """A paper found.

    `score` is from 0 to 1: see docs/search.md, "Scores". `distance` is Euclidean, null where it
    was not measured. `citations` counts the papers of the graph that cite it. `links` are addresses
    where it can be read. Of a `stub` only the id is known. `words` of the query are in `snippet`.
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
    reasons: list[Reason]
    snippet: str
    words: list[str]


class Hits(BaseModel):
    """The nearest first."""

    space: str
    hits: list[Hit]


class NamedAuthor(Model):
    """An author whom a query names, with the number of papers."""

    id: str
    name: str
    papers: int


class Search(BaseModel):
    """A page of the papers found; `next` is the address of the page after it.

    `authors` are those whom the query names, `did_you_mean` the query with the spelling of the
    papers, null if there is no better one, and `notes` sentences about the query.
    """

    query: str
    space: str
    offset: int
    next: str | None
    authors: list[NamedAuthor]
    did_you_mean: str | None
    notes: list[str]
    hits: list[Hit]


class MissingReferences(BaseModel):
    """References that a draft may lack.

    `outside` are papers often cited in the same context of which the graph has no record.
    `matched` are ids of the papers that the draft cites, `unmatched` the entries of its
    bibliography that are not in the graph.
    """

    hits: list[Hit]
    outside: list[Hit]
    matched: list[str]
    unmatched: list[str]


class Draft(BaseModel):
    """A text, a paper of the graph, the papers that it cites, or several of these.

    No paper published after the year `until` is found.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Solar neutrinos oscillate in matter.", "k": 5}]}
    )

    text: Annotated[str, Field(max_length=20_000)] = ""
    id: Annotated[str | None, Field(max_length=500)] = None
    cites: Ids = []
    until: Annotated[int | None, Field(ge=0, le=9999)] = None
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=200)] = 10
