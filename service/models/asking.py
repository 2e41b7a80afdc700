"""What is found: searches, similar papers, missing references."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from specter_graph.service.models.base import Brief, Model


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

    text: Annotated[str, Field(max_length=20_000)] = ""
    id: Annotated[str | None, Field(max_length=500)] = None
    cites: Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=1_000)] = []
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=200)] = 10
